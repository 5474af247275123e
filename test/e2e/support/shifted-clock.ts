/** The machine's clock, which a test may set forward: who sleeps until a time that has passed then wakes at once. */
import type { Clock } from '../../../core/ports.ts';
import { afterSleeping } from '../../fakes/after-sleeping.ts';
import { systemClock } from '../../../functions/system.ts';

export class ShiftedClock implements Clock {
  #shiftMs = 0;
  #shifted = new AbortController();

  now(): number {
    return systemClock.now() + this.#shiftMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const untilMs = this.now() + ms;
    while (!signal?.aborted && this.now() < untilMs) {
      const either = AbortSignal.any([this.#shifted.signal, ...(signal ? [signal] : [])]);
      await systemClock.sleep(untilMs - this.now(), either);
    }
  }

  after(ms: number, run: () => void): () => void {
    return afterSleeping((time, signal) => this.sleep(time, signal), ms, run);
  }

  advance(ms: number): void {
    this.#shiftMs += ms;
    this.#shifted.abort();
    this.#shifted = new AbortController();
  }
}
