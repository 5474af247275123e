/** For the metrics: how long an accepted answer waited for a worker. */
import type { TaskHead } from '../task.ts';

/**
 * Milliseconds from the answer or decline to now, of a turn that has just been claimed; undefined where it goes on with
 * none, or not for the first time. Timers of the ask are stale until the first write of the turn that follows it.
 */
export function answerWaitedMs(head: TaskHead, nowMs: number): number | undefined {
  const newest = head.calls.at(-1);
  if (newest?.kind !== 'ask' || newest.messageId === undefined) return undefined;
  if (head.turn.attempts !== 1 || !head.staleTimers.includes(newest.open.ask)) return undefined;
  return Math.max(0, nowMs - head.status.atMs);
}
