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

/** The earliest thing that is to happen, of all or of some; of two at one time the one that is told first. */
export function nextDue(head: Undated, of: (what: DueThing) => boolean = () => true): Due | undefined {
  let first: Due | undefined;
  tellDues(head, (what, atMs) => {
    if ((first === undefined || atMs < first.atMs) && of(what)) first = { what, atMs };
  });
  return first;
}

/** When the sweeper is to look at the task, in milliseconds since the epoch. */
export function dueOf(head: Undated): number {
  return nextDue(head)?.atMs ?? head.status.atMs;
}

type Tell = (what: DueThing, atMs: number) => void;

/** Told one by one instead of listed, because this is asked at every write and every look. */
function tellDues(head: Undated, tell: Tell): void {
  const { status } = head;
  if (isTerminal(status.state)) {
    tellPushCheck(head, tell);
    const owed = tellUndos(head, tell);
    if (head.secrets) tell('secrets', status.atMs + limits.secretsAfterEndMs);
    // Nothing is forgotten that has still to be undone.
    if (!owed) tell('retention', status.atMs + limits.retentionMs);
    return;
  }
  tellTurn(head, tell);
  // Whatever else the task does meanwhile.
  for (const { state, untilMs } of head.holds ?? []) if (state !== 'releasing') tell('hold', untilMs);
  tellUndos(head, tell);
}

function tellTurn(head: Undated, tell: Tell): void {
  const { status, turn } = head;
  switch (turn.phase) {
    case 'requested':
      tell('dispatch', turn.dispatch?.dueMs ?? status.atMs);
      return tellPushCheck(head, tell);
    case 'running':
      // No push check: what a turn emits pokes again.
      return tell('lease', turn.lease?.untilMs ?? status.atMs);
    case 'parked':
      tell('parked', turn.parked?.untilMs ?? status.atMs);
      return tellPushCheck(head, tell);
    case 'idle':
      tellWait(head, tell);
      return tellPushCheck(head, tell);
    default:
      return unreachable('phase', turn.phase);
  }
}

/** An interrupted task waits for something, and what it waits for has an expiry. */
function tellWait({ ask, auth }: Undated, tell: Tell): void {
  if (auth) return tell('expiry', auth.expiresAtMs);
  if (!ask) return;
  tell('expiry', ask.expiresAtMs);
  const reminder = ask.remindAtMs?.[0];
  if (reminder !== undefined) tell('reminder', reminder);
}

function tellPushCheck({ push }: Undated, tell: Tell): void {
  if (push?.check) tell('push-check', push.check.atMs);
}

/** Whether there are any. */
function tellUndos({ holds, delegates }: Undated, tell: Tell): boolean {
  let owed = false;
  for (const list of [holds, delegates]) {
    for (const { undo } of list ?? []) {
      if (!undo || undo.gaveUp) continue;
      owed = true;
      tell('undo', undo.dueMs);
    }
  }
  return owed;
}
