/** One-shot timers in memory: a test takes out those whose time has come. */
import { RetryableError } from '../../core/errors.ts';
import { timerName } from '../../core/ids.ts';
import type { Deadlines, Timer } from '../../core/ports.ts';

export class MemoryDeadlines implements Deadlines {
  /** The next so many calls fail as an unreachable scheduler does. */
  failures = 0;
  readonly #timers = new Map<string, Timer>();

  async set(timer: Timer): Promise<void> {
    this.#failIfTold();
    const name = timerName(timer.taskId, timer.ask, timer.timer);
    if (!this.#timers.has(name)) this.#timers.set(name, { ...timer });
  }

  async delete(timer: Omit<Timer, 'atMs'>): Promise<void> {
    this.#failIfTold();
    this.#timers.delete(timerName(timer.taskId, timer.ask, timer.timer));
  }

  /** Timers that stand, earliest first. */
  get timers(): readonly Timer[] {
    return [...this.#timers.values()].sort((a, b) => a.atMs - b.atMs);
  }

  /** Takes out the timers whose time has come, earliest first. */
  takeDue(nowMs: number): readonly Timer[] {
    const due = this.timers.filter((timer) => timer.atMs <= nowMs);
    for (const timer of due) this.#timers.delete(timerName(timer.taskId, timer.ask, timer.timer));
    return due;
  }

  #failIfTold(): void {
    if (this.failures === 0) return;
    this.failures -= 1;
    throw new RetryableError('TIMERS_UNAVAILABLE', 'the scheduler does not answer');
  }
}
