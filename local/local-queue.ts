/**
 * A queue in this process. It keeps what SQS promises and no more: a message is delivered at least once, not before its
 * delay, in no certain order, a few at a time, and again when its delivery failed. What waits here is lost with the
 * process; the sweeper finds the tasks, as it does on AWS.
 */
import { RetryableError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';

export interface LocalQueueOptions<Message> {
  readonly clock: Clock;
  readonly log: Log;
  /** Handles one message; throws to have it delivered again. */
  readonly deliver: (message: Message) => Promise<void>;
  /** Deliveries at the same time. Default 8. */
  readonly concurrency?: number;
  /** After so many failed deliveries the message is dropped, as a redrive policy would. Default 5. */
  readonly maxDeliveries?: number;
  /** Before the second delivery; doubles with each. Default 1,000. */
  readonly retryDelayMs?: number;
}

interface Waiting<Message> {
  readonly message: Message;
  readonly delivery: number;
}

export class LocalQueue<Message extends object> {
  readonly #name: string;
  readonly #options: Required<LocalQueueOptions<Message>>;
  readonly #stopped = new AbortController();
  readonly #ready: Waiting<Message>[] = [];
  readonly #running = new Set<Promise<void>>();

  /** `name` is what a message is called in logs. */
  constructor(name: string, options: LocalQueueOptions<Message>) {
    this.#name = name;
    this.#options = { concurrency: 8, maxDeliveries: 5, retryDelayMs: 1_000, ...options };
  }

  async add(message: Message, delayMs: number): Promise<void> {
    if (this.#stopped.signal.aborted)
      throw new RetryableError('QUEUE_UNAVAILABLE', `the ${this.#name} queue has stopped`);
    this.#add({ message, delivery: 1 }, delayMs);
  }

  /** Takes no more messages and waits for the deliveries that run. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#ready.length = 0;
    await Promise.all(this.#running);
  }

  #add(waiting: Waiting<Message>, delayMs: number): void {
    if (delayMs <= 0) {
      this.#ready.push(waiting);
      // Never inside the caller's own call: whoever sent it does not wait for the delivery.
      setImmediate(() => this.#startNext());
      return;
    }
    void this.#options.clock.sleep(delayMs, this.#stopped.signal).then(() => {
      this.#ready.push(waiting);
      this.#startNext();
    });
  }

  #startNext(): void {
    while (!this.#stopped.signal.aborted && this.#running.size < this.#options.concurrency) {
      const next = this.#ready.shift();
      if (!next) return;
      const delivery = this.#deliver(next).finally(() => {
        this.#running.delete(delivery);
        this.#startNext();
      });
      this.#running.add(delivery);
    }
  }

  async #deliver({ message, delivery }: Waiting<Message>): Promise<void> {
    const { deliver, log, maxDeliveries, retryDelayMs } = this.#options;
    try {
      await deliver(message);
    } catch (error) {
      if (delivery >= maxDeliveries) {
        log.error(`${this.#name} message dropped after its last delivery failed`, { ...message, delivery, error });
        return;
      }
      log.warn(`${this.#name} message will be delivered again`, { ...message, delivery, error });
      this.#add({ message, delivery: delivery + 1 }, retryDelayMs * 2 ** (delivery - 1));
    }
  }
}
