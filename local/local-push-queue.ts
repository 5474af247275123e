/** The push queue in this process. Dead letters are only logged: nobody could send them back. */
import type { Log } from '../core/ports.ts';
import type { PushPoke, PushQueue } from '../core/push/ports.ts';
import { LocalQueue, type LocalQueueOptions } from './local-queue.ts';

/** Receivers that are slow take a place for as long as a post may take; others are not to wait for them. */
const CONCURRENCY = 64;

export class LocalPushQueue implements PushQueue {
  readonly #queue: LocalQueue<PushPoke>;
  readonly #log: Log;

  /** `deliver` tells one receiver. */
  constructor(options: LocalQueueOptions<PushPoke>) {
    this.#queue = new LocalQueue('push', { concurrency: CONCURRENCY, ...options });
    this.#log = options.log;
  }

  async send(pokes: readonly PushPoke[], delayMs = 0): Promise<void> {
    for (const { taskId, configId, again } of pokes) {
      await this.#queue.add({ taskId, configId, ...(again ? { again } : {}) }, delayMs);
    }
  }

  async bury({ taskId, configId }: PushPoke): Promise<void> {
    this.#log.warn('a dead letter; registering the receiver again brings it back', { taskId, configId });
  }

  /** Takes no more pokes and waits for the deliveries that run. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
