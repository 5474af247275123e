/** The turn queue in this process. */
import type { TurnMessage, TurnQueue } from '../core/ports.ts';
import { LocalQueue, type LocalQueueOptions } from './local-queue.ts';

export class LocalTurnQueue implements TurnQueue {
  readonly #queue: LocalQueue<TurnMessage>;

  /** `deliver` runs one turn. */
  constructor(options: LocalQueueOptions<TurnMessage>) {
    this.#queue = new LocalQueue('turn', options);
  }

  send({ taskId, turn }: TurnMessage, delayMs = 0): Promise<void> {
    return this.#queue.add({ taskId, turn }, delayMs);
  }

  /** Takes no more messages and waits for the deliveries that run. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
