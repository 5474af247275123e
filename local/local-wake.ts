/** Wakes those who wait for a task in this process: blocking sends, long polls and streams. */
import type { Clock, Wake } from '../core/ports.ts';

export class LocalWake implements Wake {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async wait(taskId: string, ms: number, signal?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const leave = () => woken.abort();
    signal?.addEventListener('abort', leave, { once: true });
    const waiting = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, waiting.add(woken));
    if (signal?.aborted) woken.abort();
    try {
      await this.#clock.sleep(ms, woken.signal);
    } finally {
      signal?.removeEventListener('abort', leave);
      waiting.delete(woken);
      if (waiting.size === 0) this.#waiting.delete(taskId);
    }
  }

  notify(taskId: string): void {
    const waiting = this.#waiting.get(taskId);
    if (!waiting) return;
    // Whoever waits again meanwhile starts a set of its own.
    this.#waiting.delete(taskId);
    for (const waiter of waiting) waiter.abort();
  }
}
