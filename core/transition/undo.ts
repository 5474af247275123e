/**
 * What is to be undone outside: holds to be released, sub-tasks to be canceled. An entry of the head that carries `undo`
 * is owed until a worker has done it (operations/undo.ts) or it is given up; it stays through the end of the task.
 */
import type { Delegate } from '../delegate.ts';
import type { Hold } from '../hold.ts';
import { limits } from '../limits.ts';
import type { TaskHead } from '../task.ts';
import type { Undo, UndoOf, UndoReason } from '../undo.ts';
import type { Transition, UndoCommand } from './command.ts';
import { type Draft, draftOf } from './draft.ts';
import { done } from './move-out.ts';

interface Entries {
  readonly hold: Hold;
  readonly delegate: Delegate;
}

const LISTS = { hold: 'holds', delegate: 'delegates' } as const;
const KINDS: readonly UndoOf[] = ['hold', 'delegate'];
const FIRST_ROUND = 1;

/** The entry as it stands in the head; undefined: it is settled. */
export function entryOf(head: TaskHead, of: UndoOf, n: number): Hold | Delegate | undefined {
  return entries(head, of).find((entry) => entry.n === n);
}

/** Puts an entry in the place of the one with its `n`, or behind all others. */
export function putEntry<O extends UndoOf>(draft: Draft, of: O, entry: Entries[O]): void {
  const list = entries(draft.head, of);
  const known = list.some(({ n }) => n === entry.n);
  setEntries(draft, of, known ? list.map((one) => (one.n === entry.n ? entry : one)) : [...list, entry]);
}

/** Takes an entry out of the head: nothing is to be undone. */
export function dropEntry(draft: Draft, of: UndoOf, n: number): void {
  setEntries(
    draft,
    of,
    entries(draft.head, of).filter((one) => one.n !== n),
  );
}

/** None at all is no list: who reserves and delegates nothing pays for nothing. */
function setEntries(draft: Draft, of: UndoOf, list: readonly (Hold | Delegate)[]): void {
  const { [LISTS[of]]: _before, ...rest } = draft.head;
  draft.head = (list.length === 0 ? rest : { ...rest, [LISTS[of]]: list }) as TaskHead;
}

function entries(head: Pick<TaskHead, 'holds' | 'delegates'>, of: UndoOf): readonly (Hold | Delegate)[] {
  return head[LISTS[of]] ?? [];
}

/** A debt as it begins: a message is sent at once, and again by the sweeper should it be lost. */
export function newUndo(draft: Draft, of: UndoOf, n: number, why: UndoReason, again = false): Undo {
  sendUndo(draft, of, n);
  const { undoRedispatchMs } = limits;
  return {
    why,
    attempts: 0,
    dueMs: draft.nowMs + undoRedispatchMs,
    intervalMs: undoRedispatchMs,
    ...(again ? { again: true } : {}),
  };
}

/** To be done once more although it may just be being done: what runs now does not count. */
export function undoOnceMore(draft: Draft, of: UndoOf, n: number, before: Undo, why: UndoReason): Undo {
  return { ...newUndo(draft, of, n, why), round: roundOf(before) + 1 };
}

function sendUndo(draft: Draft, of: UndoOf, n: number, delayMs?: number): void {
  const { taskId } = draft.head;
  draft.effects.push({ kind: 'undo', taskId, of, n, ...(delayMs === undefined ? {} : { delayMs }) });
}

export function roundOf({ round = FIRST_ROUND }: Undo): number {
  return round;
}

/** What a worker's attempt came to. */
export function undoMove(head: TaskHead, command: UndoCommand, nowMs: number): Transition {
  const { of, n } = command;
  const entry = entryOf(head, of, n);
  const undo = entry?.undo;
  if (!entry || !undo || roundOf(undo) !== command.round) return { ok: false, rejection: 'unchanged' };
  const draft = draftOf(head, nowMs);
  if (command.type === 'undone') {
    if (undo.again) putEntry(draft, of, { ...entry, undo: onceAgain(draft, of, n, undo) });
    else dropEntry(draft, of, n);
  } else {
    // Two deliveries of one message are one attempt; so is whatever a redriven message tries.
    if (undo.attempts !== command.attempts || undo.gaveUp) return { ok: false, rejection: 'unchanged' };
    putEntry(draft, of, { ...entry, undo: failed(draft, of, n, undo) });
  }
  return done(draft);
}

/** The first time has been; the second is when whoever was reserving must have come to an end. */
function onceAgain(draft: Draft, of: UndoOf, n: number, undo: Undo): Undo {
  return { why: undo.why, attempts: 0, ...later(draft, of, n, limits.undoAgainMs), round: roundOf(undo) + 1 };
}

function failed(draft: Draft, of: UndoOf, n: number, undo: Undo): Undo {
  const attempts = undo.attempts + 1;
  if (attempts >= limits.undoAttempts) {
    draft.effects.push({ kind: 'count', metric: 'UndosGivenUp' });
    const { afterMs: _over, ...rest } = undo;
    return { ...rest, attempts, gaveUp: true };
  }
  return { ...undo, attempts, ...later(draft, of, n, undoDelayMs(attempts)) };
}

/** How long to wait after so many failed attempts. */
export function undoDelayMs(attempts: number): number {
  return Math.min(limits.retryDelayMinMs * limits.retryDelayFactor ** (attempts - 1), limits.retryDelayMaxMs);
}

function later(draft: Draft, of: UndoOf, n: number, delayMs: number): Pick<Undo, 'afterMs' | 'dueMs' | 'intervalMs'> {
  sendUndo(draft, of, n, delayMs);
  const afterMs = draft.nowMs + delayMs;
  return { afterMs, dueMs: afterMs + limits.undoRedispatchMs, intervalMs: limits.undoRedispatchMs };
}

/** Every message that must have been lost is sent again; doubling keeps a backlog from being fed twice. */
export function sendUndosAgain(draft: Draft): void {
  for (const of of KINDS) {
    for (const entry of entries(draft.head, of)) {
      const { undo } = entry;
      if (!undo || undo.gaveUp || undo.dueMs > draft.nowMs) continue;
      const intervalMs = Math.min(undo.intervalMs * 2, limits.redispatchMaxMs);
      putEntry(draft, of, { ...entry, undo: { ...undo, dueMs: draft.nowMs + intervalMs, intervalMs } });
      sendUndo(draft, of, entry.n);
    }
  }
}

/** Somebody has still to undo something. */
export function owesUndo(head: Pick<TaskHead, 'holds' | 'delegates'>): boolean {
  return KINDS.some((of) => entries(head, of).some(({ undo }) => undo !== undefined && !undo.gaveUp));
}

/** Sub-tasks that are open are canceled with the end of the task. */
export function cancelDelegates(draft: Draft): void {
  for (const entry of draft.head.delegates ?? []) {
    if (!entry.undo) putEntry(draft, 'delegate', { ...entry, undo: newUndo(draft, 'delegate', entry.n, 'end') });
  }
}
