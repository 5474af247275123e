/** The machine's time, for waits of seconds: between polls, before a retry. */
import type { ClientClock } from './types.ts';

export const machineClock: ClientClock = {
  now: () => Date.now(),

  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    });
  },
};
