/**
 * Waiting in front of a task: how often to look at its head, and a look itself. Whoever waits chose to; nobody else pays
 * for it. Writes of the same process wake it, those of others are found by looking.
 */
import { RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isInterrupted } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { doOverdue } from './do-due.ts';

/** A timer may fire a little before its time by the clock; who wakes earlier than that was woken. */
export const TIMER_SLACK_MS = 5;

/**
 * How long to wait before the next look: short right after an event, since another often follows; long once the task
 * waits for somebody or for a later attempt, or has been silent for a minute. That long wait is what an idle stream
 * costs: 30 reads a minute.
 */
export function pollMs(head: TaskHead, nowMs: number): number {
  const silentMs = nowMs - (head.log.at(-1)?.atMs ?? head.status.atMs);
  if (silentMs < limits.pollFastForMs) return limits.pollFastMs;
  const waits = isInterrupted(head.status.state) || head.turn.phase === 'parked';
  return waits || silentMs >= limits.pollIdleAfterMs ? limits.pollIdleMs : limits.pollSlowMs;
}

/**
 * The head as it is now, an overdue question expired; undefined when the task is gone.
 * @throws RetryableError when the store does not answer
 */
export async function lookAgain(deps: Deps, head: TaskHead): Promise<TaskHead | undefined> {
  const now = await deps.store.load(head.taskId);
  // A task of the same id that was made later is another task.
  if (!now || now.bornMs !== head.bornMs) return undefined;
  return doOverdue(deps, now);
}

/**
 * The first head that is `reached`, or the newest seen when `waitMs` are over, the caller has gone or the task is gone.
 * A store that does not answer for a while only delays: what was asked for has been done already.
 */
export async function waitUntil(
  deps: Deps,
  first: TaskHead,
  reached: (head: TaskHead) => boolean,
  options: { readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<TaskHead> {
  const { clock, wake, log } = deps;
  const { signal } = options;
  const endsAtMs = clock.now() + options.waitMs;
  let head = first;
  let pauseMs = pollMs(head, clock.now());
  while (!reached(head) && !signal?.aborted) {
    const leftMs = endsAtMs - clock.now();
    if (leftMs <= 0) break;
    await wake.wait(head.taskId, Math.min(pauseMs, leftMs), signal);
    if (signal?.aborted) break;
    try {
      const next = await lookAgain(deps, head);
      if (!next) break;
      head = next;
      pauseMs = pollMs(head, clock.now());
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.warn('a look at a task failed', { taskId: head.taskId, error });
      pauseMs = limits.pollIdleMs;
    }
  }
  return head;
}
