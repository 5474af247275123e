/** The turn queue on SQS. The message names a turn, or what is to be undone, and nothing else; a lost one is sent again by the sweeper. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { TurnQueue } from '../core/ports.ts';
import { encodeQueueMessage, type QueueMessage } from '../core/queue-message.ts';
import { alwaysRetryable } from './errors.ts';

/** SQS delays a message by 15 minutes at most; who takes an earlier message finds that the turn is not due yet. */
const DELAY_MAX_SECONDS = 900;

export interface SqsTurnQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

export class SqsTurnQueue implements TurnQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor({ client, queueUrl }: SqsTurnQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Whatever goes wrong is a `RetryableError`: the task has been saved and must not fail with the queue. */
  async send(message: QueueMessage, delayMs = 0): Promise<void> {
    const delaySeconds = Math.min(DELAY_MAX_SECONDS, Math.max(0, Math.ceil(delayMs / 1_000)));
    const command = new SendMessageCommand({
      QueueUrl: this.#queueUrl,
      MessageBody: encodeQueueMessage(message),
      ...(delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {}),
    });
    try {
      await this.#client.send(command);
    } catch (error) {
      throw alwaysRetryable(error, 'QUEUE_UNAVAILABLE');
    }
  }
}
