/**
 * Holds in the head: written before anything is reserved, so that whatever was reserved can be released; confirmed or
 * released by one write, so never both. Holds whose time has passed, whose question came to nothing, or whose task has
 * ended are owed to be released from the very write that says so.
 */
import { AgentFault } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Hold, HoldEndRecord, HoldRecord } from '../hold.ts';
import type { Kept, TaskHead } from '../task.ts';
import type { Json } from '../json.ts';
import type { UndoReason } from '../undo.ts';
import type { HoldCommand, LateHoldCommand, Of, Transition, TurnCommand } from './command.ts';
import { type Draft, draftOf, keep, set } from './draft.ts';
import { done } from './move-out.ts';
import { deleteReleaseTimer, setReleaseTimer } from './timers.ts';
import { dropEntry, newUndo, putEntry, undoOnceMore } from './undo.ts';

/** @throws AgentFault LIMIT_EXCEEDED */
export function holdMove(draft: Draft, command: Extract<TurnCommand, HoldCommand>): void {
  // The clock decides, not whether anybody has looked (invariant 7).
  releaseHolds(draft, 'time');
  switch (command.type) {
    case 'reserve':
      return reserve(draft, command);
    case 'acquired':
      return acquired(draft, command);
    case 'confirm':
      return confirm(draft, command);
    case 'release':
      return release(draft, command);
  }
}

/** A hold of this call that a worker before has begun, and that may still be used, stays as it is. */
function reserve(draft: Draft, { call, name, forMs }: Of<'reserve'>): void {
  const { holds = [], used, taskId } = draft.head;
  const begun = holds.find((hold) => hold.call === call && hold.state === 'reserving');
  if (begun) return putEntry(draft, 'hold', { ...begun, retried: true });
  const n = (used.holds ?? 0) + 1;
  if (n > limits.holdsPerTask || holds.length >= limits.holdsOpen) {
    const most = `${limits.holdsPerTask} holds, ${limits.holdsOpen} of them neither confirmed nor released`;
    throw new AgentFault('LIMIT_EXCEEDED', `task ${taskId} may have at most ${most}; "${name}" is over`);
  }
  const hold: Hold = { call, n, name, state: 'reserving', untilMs: draft.nowMs + forMs };
  putEntry(draft, 'hold', hold);
  set(draft, { used: { ...draft.head.used, holds: n } });
  draft.effects.push(...setReleaseTimer(draft.head.taskId, hold, draft.nowMs));
}

/** What was reserved for a hold that is over meanwhile is released, and the author told. */
function acquired(draft: Draft, { call, name, n, result }: Of<'acquired'>): void {
  const hold = holdOf(draft, n);
  const value = 'ok' in result ? { value: keep(draft, result.ok) } : {};
  const record = (came: HoldRecord['came']) => addRecord(draft, { kind: 'hold', call, name, n, came });
  if (hold?.state === 'reserving') {
    if ('error' in result) {
      // It may have been reserved all the same: the answer was lost.
      putEntry(draft, 'hold', { ...releasing(draft, hold, 'failed'), ...value });
      return record(result);
    }
    putEntry(draft, 'hold', { ...hold, state: 'held', ...value });
    return record({ ok: value.value as Kept<Json> });
  }
  if (hold?.undo || 'ok' in result) giveBack(draft, { call, name, n }, value, 'late');
  record('error' in result ? result : { gone: true });
}

/** False: its time has passed, or something else has released it. A hold that is confirmed is out of everybody's reach. */
function confirm(draft: Draft, { call, name, n }: Of<'confirm'>): void {
  const hold = holdOf(draft, n);
  const confirmed = hold?.state === 'held';
  if (confirmed) {
    draft.effects.push(...deleteReleaseTimer(draft.head.taskId, hold, draft.nowMs));
    dropEntry(draft, 'hold', n);
    set(draft, { confirmed: [...(draft.head.confirmed ?? []), n] });
  }
  addRecord(draft, { kind: 'confirm', call, name, n, done: confirmed });
}

/** `confirmed` says what the author had confirmed before and wants released all the same. */
function release(draft: Draft, { call, name, n, confirmed }: Of<'release'>): void {
  const hold = holdOf(draft, n);
  if (hold && !hold.undo) putEntry(draft, 'hold', releasing(draft, hold, 'code'));
  if (!hold && confirmed) {
    unconfirm(draft, n);
    giveBack(draft, { call, name, n }, { value: keep(draft, confirmed.value) }, 'code');
  }
  addRecord(draft, { kind: 'release', call, name, n, done: true });
}

/** All that are neither confirmed nor released; of `time` those whose time has passed. */
export function releaseHolds(draft: Draft, why: UndoReason): void {
  for (const hold of draft.head.holds ?? []) {
    const isOver = why !== 'time' || hold.untilMs <= draft.nowMs;
    if (isOver && hold.state !== 'releasing') putEntry(draft, 'hold', releasing(draft, hold, why));
  }
}

/**
 * What is being reserved right now, or was by a worker that died in it, is released at once and once more when that must
 * have come to an end.
 */
function releasing(draft: Draft, hold: Hold, why: UndoReason): Hold {
  draft.effects.push(...deleteReleaseTimer(draft.head.taskId, hold, draft.nowMs));
  const undo = newUndo(draft, 'hold', hold.n, why, hold.state === 'reserving' || hold.retried);
  return { ...hold, state: 'releasing', undo };
}

/**
 * A hold is never kept longer than the question that it is kept for.
 * @throws AgentFault HOLD_TOO_LONG
 */
export function checkHolds({ head }: Draft, name: string, expiresAtMs: number): void {
  const longer = head.holds?.find(({ state, untilMs }) => state !== 'releasing' && untilMs > expiresAtMs);
  if (!longer) return;
  const time = (ms: number) => new Date(ms).toISOString();
  throw new AgentFault(
    'HOLD_TOO_LONG',
    `"${name}" expires at ${time(expiresAtMs)}, before the hold "${longer.name}", which is kept until ` +
      `${time(longer.untilMs)}: let the question be open for longer (expiresIn), or hold for a shorter time (for)`,
  );
}

/**
 * A worker that has lost its lease has reserved something all the same. Unless somebody else has that hold now, under the
 * same key, it is given back; in every state of the task.
 */
export function lateHold(head: TaskHead, { call, name, n, result }: LateHoldCommand, nowMs: number): Transition {
  const draft = draftOf(head, nowMs);
  const hold = holdOf(draft, n);
  const inUse = head.confirmed?.includes(n) || (hold && !hold.undo);
  if (inUse) return { ok: false, rejection: 'unchanged' };
  const value = 'ok' in result ? { value: keep(draft, result.ok) } : {};
  giveBack(draft, { call, name, n }, value, 'late');
  return done(draft);
}

/** Something is reserved that no hold stands for any more: it is released, and once more if that is under way. */
function giveBack(
  draft: Draft,
  { call, name, n }: Pick<Hold, 'call' | 'name' | 'n'>,
  value: Pick<Hold, 'value'>,
  why: UndoReason,
): void {
  const hold = holdOf(draft, n);
  if (hold?.undo) {
    return putEntry(draft, 'hold', { ...hold, ...value, undo: undoOnceMore(draft, 'hold', n, hold.undo, why) });
  }
  const undo = newUndo(draft, 'hold', n, why);
  putEntry(draft, 'hold', { call, n, name, state: 'releasing', untilMs: draft.nowMs, ...value, undo });
}

function unconfirm(draft: Draft, n: number): void {
  const { confirmed = [], ...rest } = draft.head;
  const left = confirmed.filter((one) => one !== n);
  draft.head = left.length === 0 ? rest : { ...rest, confirmed: left };
}

function holdOf({ head }: Draft, n: number): Hold | undefined {
  return head.holds?.find((hold) => hold.n === n);
}

function addRecord(draft: Draft, record: HoldRecord | HoldEndRecord): void {
  set(draft, { calls: [...draft.head.calls, record] });
}
