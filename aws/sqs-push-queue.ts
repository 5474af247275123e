/** The push queue on SQS: one batch pokes all configs of a task. Messages name a config and hold nothing of it. */
import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { RetryableError } from '../core/errors.ts';
import type { PushPoke, PushQueue } from '../core/push/ports.ts';
import { alwaysRetryable } from './errors.ts';

/** The longest delay that SQS knows. */
const DELAY_MAX_SECONDS = 900;

export interface SqsPushQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Absent: who is given up is only logged and counted. */
  readonly deadLetterUrl?: string;
}

export class SqsPushQueue implements PushQueue {
  readonly #options: SqsPushQueueOptions;

  constructor(options: SqsPushQueueOptions) {
    this.#options = options;
  }

  /** Whatever goes wrong, a part of the batch included, is a `RetryableError`: poking twice is harmless. */
  async send(pokes: readonly PushPoke[], delayMs = 0): Promise<void> {
    const { client, queueUrl } = this.#options;
    if (pokes.length === 0) return;
    const delaySeconds = Math.min(DELAY_MAX_SECONDS, Math.max(0, Math.ceil(delayMs / 1_000)));
    const command = new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: pokes.map((poke, n) => ({
        Id: String(n),
        MessageBody: bodyOf(poke),
        ...(delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {}),
      })),
    });
    const { Failed } = await this.#sorted(() => client.send(command));
    if (Failed && Failed.length > 0) {
      throw new RetryableError('QUEUE_UNAVAILABLE', `${Failed.length} of ${pokes.length} pokes were not taken`);
    }
  }

  async bury(poke: PushPoke): Promise<void> {
    const { client, deadLetterUrl } = this.#options;
    if (deadLetterUrl === undefined) return;
    const command = new SendMessageCommand({ QueueUrl: deadLetterUrl, MessageBody: bodyOf(poke) });
    await this.#sorted(() => client.send(command));
  }

  async #sorted<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw alwaysRetryable(error, 'QUEUE_UNAVAILABLE');
    }
  }
}

function bodyOf({ taskId, configId, again }: PushPoke): string {
  return JSON.stringify({ taskId, configId, ...(again ? { again } : {}) });
}
