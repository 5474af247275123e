/**
 * Holds in the head: written before anything is reserved, so that whatever was reserved can be released; confirmed or
 * released by one write, so never both. What ends a hold without its author stands in release.ts.
 */
import { AgentFault } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Hold, HoldRecord, SettleRecord } from '../hold.ts';
import type { Kept, TaskHead } from '../task.ts';
import type { Json } from '../json.ts';
import type { HoldCommand, LateHoldCommand, Transition, TurnCommand } from './command.ts';
import { type Draft, draftOf, keep, set } from './draft.ts';
import { done } from './move-out.ts';
import { deleteReleaseTimer, releaseHolds, releasing, setReleaseTimer } from './release.ts';
import { newUndo, setEntries, undoOnceMore } from './undo.ts';

type Of<K extends HoldCommand['type']> = Extract<TurnCommand, { type: K }>;

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
  if (begun) return replace(draft, { ...begun, retried: true });
  const n = (used.holds ?? 0) + 1;
  if (n > limits.holdsPerTask || holds.length >= limits.holdsOpen) {
    const most = `${limits.holdsPerTask} holds, ${limits.holdsOpen} of them neither confirmed nor released`;
    throw new AgentFault('LIMIT_EXCEEDED', `task ${taskId} may have at most ${most}; "${name}" is over`);
  }
  const hold: Hold = { call, n, name, state: 'reserving', untilMs: draft.nowMs + forMs };
  setEntries(draft, 'hold', [...holds, hold]);
  set(draft, { used: { ...draft.head.used, holds: n } });
  setReleaseTimer(draft, hold);
}

/** What was reserved for a hold that is over meanwhile is released, and the author told. */
function acquired(draft: Draft, { call, name, n, result }: Of<'acquired'>): void {
  const hold = holdOf(draft, n);
  const value = 'ok' in result ? { value: keep(draft, result.ok) } : {};
  const record = (came: HoldRecord['came']) => addRecord(draft, { kind: 'hold', call, name, n, came });
  if (hold?.state === 'reserving') {
    if ('error' in result) {
      // It may have been reserved all the same: the answer was lost.
      replace(draft, { ...releasing(draft, hold, 'failed'), ...value });
      return record(result);
    }
    replace(draft, { ...hold, state: 'held', ...value });
    return record({ ok: value.value as Kept<Json> });
  }
  if (hold?.undo) {
    replace(draft, { ...hold, ...value, undo: undoOnceMore(draft, 'hold', n, hold.undo, 'late') });
  } else if ('ok' in result) {
    owe(draft, {
      call,
      n,
      name,
      state: 'releasing',
      untilMs: draft.nowMs,
      ...value,
      undo: newUndo(draft, 'hold', n, 'late'),
    });
  }
  record('error' in result ? result : { gone: true });
}

/** False: its time has passed, or something else has released it. A hold that is confirmed is out of everybody's reach. */
function confirm(draft: Draft, { call, name, n }: Of<'confirm'>): void {
  const hold = holdOf(draft, n);
  const confirmed = hold?.state === 'held';
  if (confirmed) {
    deleteReleaseTimer(draft, hold);
    remove(draft, n);
    set(draft, { confirmed: [...(draft.head.confirmed ?? []), n] });
  }
  addRecord(draft, { kind: 'confirm', call, name, n, done: confirmed });
}

/** `confirmed` says what the author had confirmed before and wants released all the same. */
function release(draft: Draft, { call, name, n, confirmed }: Of<'release'>): void {
  const hold = holdOf(draft, n);
  if (hold && !hold.undo) replace(draft, releasing(draft, hold, 'code'));
  if (!hold && confirmed) {
    unconfirm(draft, n);
    const value = keep(draft, confirmed.value);
    owe(draft, {
      call,
      n,
      name,
      state: 'releasing',
      untilMs: draft.nowMs,
      value,
      undo: newUndo(draft, 'hold', n, 'code'),
    });
  }
  addRecord(draft, { kind: 'release', call, name, n, done: true });
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
  if (hold?.undo) replace(draft, { ...hold, ...value, undo: undoOnceMore(draft, 'hold', n, hold.undo, 'late') });
  else {
    const undo = newUndo(draft, 'hold', n, 'late');
    owe(draft, { call, n, name, state: 'releasing', untilMs: nowMs, ...value, undo });
  }
  return done(draft);
}

function unconfirm(draft: Draft, n: number): void {
  const { confirmed = [], ...rest } = draft.head;
  const left = confirmed.filter((one) => one !== n);
  draft.head = left.length === 0 ? rest : { ...rest, confirmed: left };
}

function holdOf({ head }: Draft, n: number): Hold | undefined {
  return head.holds?.find((hold) => hold.n === n);
}

function owe(draft: Draft, hold: Hold): void {
  setEntries(draft, 'hold', [...(draft.head.holds ?? []), hold]);
}

function replace(draft: Draft, hold: Hold): void {
  setEntries(
    draft,
    'hold',
    (draft.head.holds ?? []).map((one) => (one.n === hold.n ? hold : one)),
  );
}

function remove(draft: Draft, n: number): void {
  setEntries(
    draft,
    'hold',
    (draft.head.holds ?? []).filter((one) => one.n !== n),
  );
}

function addRecord(draft: Draft, record: HoldRecord | SettleRecord): void {
  set(draft, { calls: [...draft.head.calls, record] });
}
