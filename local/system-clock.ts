/**
 * Time as the machine has it, for a process that lives for weeks: a sleep may be longer than one timer of Node, and
 * many may wait on one signal.
 */
import type { Clock } from '../core/ports.ts';

/** Node's timers hold at most 2^31 - 1 ms (24.8 days); a question may wait 30 days. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),

  async sleep(ms, signal) {
    const untilMs = Date.now() + ms;
    do {
      await timer(Math.min(Math.max(0, untilMs - Date.now()), LONGEST_TIMER_MS), signal);
    } while (!signal?.aborted && Date.now() < untilMs);
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(handle);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const handle = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
