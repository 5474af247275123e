/** Invokes the sweep function at its rate, as a schedule does on AWS. The first time at once. */
import { limits } from '../core/limits.ts';
import type { Clock } from '../core/ports.ts';

export interface Sweeper {
  /** Waits for a sweep that runs. */
  stop(): Promise<void>;
}

/** `sweep` reports its own failures; one that throws does not end the loop. */
export function startSweeper(clock: Clock, sweep: () => Promise<unknown>): Sweeper {
  const stopped = new AbortController();
  const loop = async () => {
    while (!stopped.signal.aborted) {
      await sweep().catch(() => undefined);
      await clock.sleep(limits.sweepIntervalMs, stopped.signal);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
