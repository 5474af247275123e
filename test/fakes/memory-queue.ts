/** The turn queue in memory: records what was sent; a test takes the messages out and runs them. */
import { RetryableError } from '../../core/errors.ts';
import type { Clock, TurnQueue } from '../../core/ports.ts';
import { type QueueMessage, queueMessage, type TurnMessage, type UndoMessage } from '../../core/queue-message.ts';

export interface Sent {
  readonly message: QueueMessage;
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

  async send(message: QueueMessage, delayMs = 0): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new RetryableError('QUEUE_UNAVAILABLE', 'the queue does not answer');
    }
    const sent = { message: queueMessage(message), delayMs, readyAtMs: this.#clock.now() + delayMs };
    this.sent.push(sent);
    this.#waiting.push(sent);
  }

  /** Takes out the turn that is ready for the longest time; undefined when none is ready yet. */
  take(): TurnMessage | undefined {
    return this.#take(({ turn }) => turn !== undefined) as TurnMessage | undefined;
  }

  /** The same of what is to be undone. */
  takeUndo(): UndoMessage | undefined {
    return this.#take(({ undo }) => undo !== undefined) as UndoMessage | undefined;
  }

  #take(wanted: (message: QueueMessage) => boolean): QueueMessage | undefined {
    const now = this.#clock.now();
    let first: Sent | undefined;
    for (const sent of this.#waiting) {
      if (!wanted(sent.message) || sent.readyAtMs > now) continue;
      if (first === undefined || sent.readyAtMs < first.readyAtMs) first = sent;
    }
    if (first === undefined) return undefined;
    this.#waiting = this.#waiting.filter((sent) => sent !== first);
    return first.message;
  }

  /** Messages that nobody has taken, whether or not they are ready. */
  get waiting(): readonly QueueMessage[] {
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
