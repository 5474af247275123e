/** A clock that a test moves by hand. Starts at 2027-01-15T08:00:00.000Z, which is 1,800,000,000,000. */
import type { Clock } from '../../core/ports.ts';
import { afterSleeping } from './after-sleeping.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

export class ManualClock implements Clock {
  #nowMs: number;
  /** In order of waking; equal times in order of falling asleep. */
  #sleepers: Sleeper[] = [];

  constructor(startMs = 1_800_000_000_000) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const sleeper: Sleeper = { atMs: this.#nowMs + Math.max(0, ms), wake: leave };
      signal?.addEventListener('abort', leave, { once: true });
      const index = this.#sleepers.findIndex((other) => other.atMs > sleeper.atMs);
      this.#sleepers.splice(index === -1 ? this.#sleepers.length : index, 0, sleeper);
    });
  }

  after(ms: number, run: () => void): () => void {
    return afterSleeping((time, signal) => this.sleep(time, signal), ms, run);
  }

  /** How many are asleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** When the next sleeper wakes. */
  get nextWakeAtMs(): number | undefined {
    return this.#sleepers[0]?.atMs;
  }

  /**
   * Moves time on, stopping at every sleeper on the way: each runs until it sleeps again or is done before the next
   * wakes, so that loops that sleep several times within `ms` are driven through.
   */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#nowMs + ms);
  }

  async advanceTo(atMs: number): Promise<void> {
    await settle();
    for (let next = this.#sleepers[0]; next !== undefined && next.atMs <= atMs; next = this.#sleepers[0]) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
      await settle();
    }
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }
}

/** Lets everything that can go on without time passing go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
