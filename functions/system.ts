/** Time, randomness and waiting as a Lambda environment has them. */
import { randomBytes } from 'node:crypto';
import { setTimeout as timer } from 'node:timers/promises';
import type { Clock, Ids, Wake } from '../core/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await timer(Math.max(0, ms), undefined, signal ? { signal } : {}).catch(() => {
      // Aborted: whoever gave the signal knows.
    });
  },
};

/** 144 bits in base64url. */
export const systemIds: Ids = { unique: () => randomBytes(18).toString('base64url') };

/** One environment serves one request at a time, so there is never anybody to wake: whoever waits polls. */
export const pollingWake: Wake = {
  wait: (_taskId, ms, signal) => systemClock.sleep(ms, signal),
  notify: () => {},
};
