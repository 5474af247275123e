/** What must happen to a task by itself, and when. Always computed from the rest of the head. */
import { limits } from '../limits.ts';
import { isTerminal } from '../message.ts';
import type { TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';

export type DueThing =
  /** A requested turn that nobody has claimed is sent again. */
  | 'dispatch'
  /** A lease has ended: its worker is taken to be dead. */
  | 'lease'
  /** A parked turn goes on. */
  | 'parked'
  | 'reminder'
  | 'expiry'
  /** The time of a hold has passed: it is released. */
  | 'hold'
  /** A message that has something undone must have been lost: it is sent again. */
  | 'undo'
  /** Somebody looks whether all receivers have been told. */
  | 'push-check'
  /** What a lost race or a crash may have left of an ended task's secrets goes. */
  | 'secrets'
  /** The task is deleted. */
  | 'retention';

export interface Due {
  readonly what: DueThing;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

type Undated = Omit<TaskHead, 'dueMs'>;

/** The earliest thing that is to happen, of all or of some; of two at one time the one that stands first in `dues`. */
export function nextDue(head: Undated, of: (what: DueThing) => boolean = () => true): Due | undefined {
  return dues(head)
    .filter(({ what }) => of(what))
    .reduce<Due | undefined>((first, due) => (first && first.atMs <= due.atMs ? first : due), undefined);
}

/** When the sweeper is to look at the task, in milliseconds since the epoch. */
export function dueOf(head: Undated): number {
  return nextDue(head)?.atMs ?? head.status.atMs;
}

function dues(head: Undated): readonly Due[] {
  const { status, push } = head;
  const check: readonly Due[] = push?.check ? [{ what: 'push-check', atMs: push.check.atMs }] : [];
  const undos = undosOf(head);
  if (isTerminal(status.state)) {
    return [
      ...check,
      ...undos,
      ...(head.secrets ? [{ what: 'secrets', atMs: status.atMs + limits.secretsAfterEndMs } as const] : []),
      // Nothing is forgotten that has still to be undone.
      ...(undos.length > 0 ? [] : [{ what: 'retention', atMs: status.atMs + limits.retentionMs } as const]),
    ];
  }
  return [...dueOfTurn(head, check), ...holdsOf(head), ...undos];
}

function dueOfTurn(head: Undated, check: readonly Due[]): readonly Due[] {
  const { status, turn } = head;
  switch (turn.phase) {
    case 'requested':
      return [{ what: 'dispatch', atMs: turn.dispatch?.dueMs ?? status.atMs }, ...check];
    case 'running':
      // No push check: what a turn emits pokes again.
      return [{ what: 'lease', atMs: turn.lease?.untilMs ?? status.atMs }];
    case 'parked':
      return [{ what: 'parked', atMs: turn.parked?.untilMs ?? status.atMs }, ...check];
    case 'idle':
      return [...waitingFor(head), ...check];
    default:
      return unreachable('phase', turn.phase);
  }
}

/** An interrupted task waits for something, and what it waits for has an expiry. */
function waitingFor({ ask, auth }: Undated): readonly Due[] {
  if (auth) return [{ what: 'expiry', atMs: auth.expiresAtMs }];
  if (!ask) return [];
  const [reminder] = ask.remindAtMs ?? [];
  const expiry: Due = { what: 'expiry', atMs: ask.expiresAtMs };
  return reminder === undefined ? [expiry] : [expiry, { what: 'reminder', atMs: reminder }];
}

/** Whatever else the task does meanwhile. */
function holdsOf({ holds = [] }: Undated): readonly Due[] {
  return holds.filter(({ state }) => state !== 'releasing').map(({ untilMs }) => ({ what: 'hold', atMs: untilMs }));
}

function undosOf({ holds = [], delegates = [] }: Undated): readonly Due[] {
  return [...holds, ...delegates].flatMap(({ undo }) =>
    undo && !undo.gaveUp ? [{ what: 'undo', atMs: undo.dueMs }] : [],
  );
}
