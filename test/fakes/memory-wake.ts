/** Wakes waiters of one process; the time limit goes by the test's clock. */
import type { Clock, Wake } from '../../core/ports.ts';

export class MemoryWake implements Wake {
  readonly notified: string[] = [];
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async wait(taskId: string, ms: number, signal?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const waiters = this.#waiters.get(taskId) ?? new Set();
    this.#waiters.set(taskId, waiters.add(woken));
    const either = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
    await this.#clock.sleep(ms, either);
    waiters.delete(woken);
    if (waiters.size === 0 && this.#waiters.get(taskId) === waiters) this.#waiters.delete(taskId);
  }

  notify(taskId: string): void {
    this.notified.push(taskId);
    for (const waiter of this.#waiters.get(taskId) ?? []) waiter.abort();
  }

  /** How many wait, for any task. */
  get waiting(): number {
    return [...this.#waiters.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }
}
