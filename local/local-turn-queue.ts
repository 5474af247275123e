/** The turn queue in this process. */
import type { TurnQueue } from '../core/ports.ts';
import { type QueueMessage, queueMessage } from '../core/queue-message.ts';
import { LocalQueue, type LocalQueueOptions } from './local-queue.ts';

export class LocalTurnQueue implements TurnQueue {
  readonly #queue: LocalQueue<QueueMessage>;

  /** `deliver` runs one turn, or undoes one thing. */
  constructor(options: LocalQueueOptions<QueueMessage>) {
    this.#queue = new LocalQueue('turn', options);
  }

  send(message: QueueMessage, delayMs = 0): Promise<void> {
    return this.#queue.add(queueMessage(message), delayMs);
  }

  /** Takes no more messages and waits for the deliveries that run. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
