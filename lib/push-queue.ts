/**
 * The queue that carries pokes to the function that posts to receivers, and the queue for what was given up. A poke
 * names a config and holds nothing of it, neither its address nor its secrets (core/push/ports.ts).
 */
import { Duration } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterQueue } from './turn-queue.ts';

/** What one batch of pokes may take: its posts run side by side, and each ends after 10 seconds. */
export const DELIVERY_TIMEOUT = Duration.seconds(60);
const VISIBILITY = Duration.seconds(120);
/**
 * Receivers that fail do not count here: their retry is a poke of its own. What comes five times met a store that did
 * not answer.
 */
const MAX_RECEIVES = 5;

export class PushQueue extends Construct {
  readonly queue: sqs.Queue;
  /** Given up by SQS, or buried with its receiver. */
  readonly deadLetters: sqs.Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters');
    this.queue = new sqs.Queue(this, 'Queue', {
      visibilityTimeout: VISIBILITY,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
  }
}
