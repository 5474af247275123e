/** The turn queue in memory: records what was sent; a test takes the messages out and runs them. */
import { RetryableError } from '../../core/errors.ts';
import type { Clock, TurnMessage, TurnQueue } from '../../core/ports.ts';

export interface Sent {
  readonly message: TurnMessage;
  readonly delayMs: number;
  readonly readyAtMs: number;
}

export class MemoryQueue implements TurnQueue {
  /** Everything that was ever sent, in order. */
  readonly sent: Sent[] = [];
  /** The next so many sends fail as an unreachable queue does. */
  failures = 0;
  readonly #clock: Clock;
  #waiting: Sent[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send({ taskId, turn }: TurnMessage, delayMs = 0): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new RetryableError('QUEUE_UNAVAILABLE', 'the queue does not answer');
    }
    const sent = { message: { taskId, turn }, delayMs, readyAtMs: this.#clock.now() + delayMs };
    this.sent.push(sent);
    this.#waiting.push(sent);
  }

  /** Takes out the message that is ready for the longest time; undefined when none is ready yet. */
  take(): TurnMessage | undefined {
    const now = this.#clock.now();
    let first: Sent | undefined;
    for (const sent of this.#waiting) {
      if (sent.readyAtMs <= now && (first === undefined || sent.readyAtMs < first.readyAtMs)) first = sent;
    }
    if (first === undefined) return undefined;
    this.#waiting = this.#waiting.filter((sent) => sent !== first);
    return first.message;
  }

  /** Messages that nobody has taken, whether or not they are ready. */
  get waiting(): readonly TurnMessage[] {
    return this.#waiting.map((sent) => sent.message);
  }

  /** When the next waiting message is ready. */
  get nextReadyAtMs(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map((sent) => sent.readyAtMs));
  }

  /** Loses everything that waits, as a process that dies does. */
  lose(): void {
    this.#waiting = [];
  }
}
