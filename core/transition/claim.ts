/**
 * A worker takes a requested turn. Stores do it without reading the head first (`TaskStore.claim`), and then make of the
 * head what is said here: so it rests on nothing that their condition does not ask for, and needs no item beside the head.
 */
import type { Effect } from '../effects.ts';
import type { TaskHead } from '../task.ts';
import type { ClaimCommand, Transition } from './command.ts';
import { draftOf, moveTo, set } from './draft.ts';

export function claim(head: TaskHead, command: ClaimCommand, nowMs: number): Transition {
  const { n, phase, attempts, parked } = head.turn;
  const claimable =
    n === command.turn && (phase === 'requested' || (phase === 'parked' && (parked?.untilMs ?? 0) <= nowMs));
  if (!claimable) return { ok: false, rejection: 'not-claimable' };
  const draft = draftOf(head, nowMs);
  if (head.status.state === 'TASK_STATE_SUBMITTED') moveTo(draft, 'TASK_STATE_WORKING');
  const { token, untilMs } = command;
  const dueMs = keepsDue(head, untilMs) ? head.dueMs : untilMs;
  // Entries that have no room any more leave with the next write, within a heartbeat.
  set(draft, { turn: { n, phase: 'running', attempts: attempts + 1, lease: { token, untilMs } }, dueMs });
  return { ok: true, head: draft.head, children: draft.children, effects: draft.effects };
}

/**
 * Whether a head may keep its `due` when its turn is claimed: `due` may be early, never late. Where it is early the sweeper
 * looks and finds nothing, until the next write, within a heartbeat, puts it right; were it later than the lease ends, a
 * dead worker would be noticed too late. So the usual claim leaves the index of due tasks alone, where it is written most.
 */
export function keepsDue({ dueMs }: Pick<TaskHead, 'dueMs'>, untilMs: number): boolean {
  return dueMs <= untilMs;
}

/** The same effects, of a head that a store has claimed: the first claim moved the task to working, which is an event. */
export function effectsOfClaim({ taskId, turn, push }: TaskHead): readonly Effect[] {
  const isFirst = turn.n === 1 && turn.attempts === 1;
  return push && isFirst ? [{ kind: 'poke-push', taskId, configIds: push.ids }] : [];
}
