/** Time, randomness and waiting as the machine has them: in a Lambda environment, and in a process that lives for weeks. */
import { randomIds } from '../aws/random-ids.ts';
import type { Clock, Ids, Wake } from '../core/ports.ts';

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

  after(ms, run) {
    const handle = setTimeout(run, ms);
    return () => clearTimeout(handle);
  },
};

/** Not the timer of node:timers/promises: every abort of that one makes an error with a stack, and every turn aborts two. */
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

/** 144 bits each. */
export const systemIds: Ids = { unique: randomIds(18) };

/** One environment serves one request at a time, so there is never anybody to wake: whoever waits polls. */
export const pollingWake: Wake = {
  wait: (_taskId, ms, signal) => systemClock.sleep(ms, signal),
  notify: () => {},
};
