/**
 * One-shot timers in this process. Like EventBridge Scheduler: named, made once, fired once at or after their time,
 * and only a hint, since the task's head decides what is due. Timers are lost with the process; the sweeper stands in.
 */
import { timerName } from '../core/ids.ts';
import type { Clock, Deadlines, Log, Timer } from '../core/ports.ts';

export interface LocalDeadlinesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Does what is due; a failure is logged and left to the sweeper. */
  readonly fire: (timer: Timer) => Promise<void>;
}

export class LocalDeadlines implements Deadlines {
  readonly #options: LocalDeadlinesOptions;
  readonly #timers = new Map<string, { readonly timer: Timer; readonly deleted: AbortController }>();
  readonly #firing = new Set<Promise<void>>();

  constructor(options: LocalDeadlinesOptions) {
    this.#options = options;
  }

  async set(timer: Timer): Promise<void> {
    const name = timerName(timer.taskId, timer.ask, timer.timer);
    if (this.#timers.has(name)) return;
    const deleted = new AbortController();
    this.#timers.set(name, { timer: { ...timer }, deleted });
    const { clock } = this.#options;
    void clock.sleep(Math.max(0, timer.atMs - clock.now()), deleted.signal).then(() => {
      if (deleted.signal.aborted) return;
      this.#timers.delete(name);
      const firing = this.#fire({ ...timer }).finally(() => this.#firing.delete(firing));
      this.#firing.add(firing);
    });
  }

  async delete(timer: Omit<Timer, 'atMs'>): Promise<void> {
    const name = timerName(timer.taskId, timer.ask, timer.timer);
    this.#timers.get(name)?.deleted.abort();
    this.#timers.delete(name);
  }

  /** Timers that have not fired. */
  get standing(): readonly Timer[] {
    return [...this.#timers.values()].map(({ timer }) => timer);
  }

  /** Deletes every timer and waits for those that fire now. */
  async stop(): Promise<void> {
    for (const { deleted } of this.#timers.values()) deleted.abort();
    this.#timers.clear();
    await Promise.all(this.#firing);
  }

  async #fire(timer: Timer): Promise<void> {
    try {
      await this.#options.fire(timer);
    } catch (error) {
      this.#options.log.warn('a timer failed; the sweeper stands in', { ...timer, error });
    }
  }
}
