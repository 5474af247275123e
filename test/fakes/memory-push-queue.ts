/** The push queue in memory: a test takes the pokes out and delivers them. */
import { RetryableError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { PushPoke, PushQueue } from '../../core/push/ports.ts';

export interface SentPoke {
  readonly poke: PushPoke;
  readonly delayMs: number;
  readonly readyAtMs: number;
}

export class MemoryPushQueue implements PushQueue {
  /** Everything that was ever sent, in order. */
  readonly sent: SentPoke[] = [];
  readonly buried: PushPoke[] = [];
  /** The next so many sends fail as an unreachable queue does. */
  failures = 0;
  readonly #clock: Clock;
  #waiting: SentPoke[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(pokes: readonly PushPoke[], delayMs = 0): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new RetryableError('QUEUE_UNAVAILABLE', 'the queue does not answer');
    }
    for (const { taskId, configId, again } of pokes) {
      const poke = { taskId, configId, ...(again ? { again } : {}) };
      const sent = { poke, delayMs, readyAtMs: this.#clock.now() + delayMs };
      this.sent.push(sent);
      this.#waiting.push(sent);
    }
  }

  async bury(poke: PushPoke): Promise<void> {
    this.buried.push(poke);
  }

  /** Takes out the poke that is ready for the longest time; undefined when none is ready yet. */
  take(): PushPoke | undefined {
    const ready = this.#waiting.filter(({ readyAtMs }) => readyAtMs <= this.#clock.now());
    const first = ready.sort((a, b) => a.readyAtMs - b.readyAtMs)[0];
    this.#waiting = this.#waiting.filter((sent) => sent !== first);
    return first?.poke;
  }

  /** Pokes that nobody has taken, whether or not they are ready. */
  get waiting(): readonly PushPoke[] {
    return this.#waiting.map(({ poke }) => poke);
  }

  /** When the next waiting poke is ready. */
  get nextReadyAtMs(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map(({ readyAtMs }) => readyAtMs));
  }

  /** Loses everything that waits. */
  lose(): void {
    this.#waiting = [];
  }
}
