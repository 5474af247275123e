/**
 * The queue that carries turns to the worker, and the queue for those that could not be delivered. A message names a
 * turn and nothing else; the sweeper sends a lost one again, so nothing is lost with either queue.
 */
import { Duration } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface TurnQueueProps {
  /** The worker's timeout, from which the visibility timeout follows. */
  readonly workerTimeout: Duration;
  /** Deliveries before a message becomes a dead letter. */
  readonly maxReceiveCount?: number;
}

/**
 * A message must stay invisible for as long as its worker may run. Six times that, which AWS recommends for batches that
 * are retried inside one invocation, would only make a retry late: batches hold one message here.
 */
const VISIBILITY_SLACK = Duration.seconds(60);

export class TurnQueue extends Construct {
  readonly queue: sqs.Queue;
  readonly deadLetters: sqs.Queue;
  /** How long one delivery may take. */
  readonly visibility: Duration;

  constructor(scope: Construct, id: string, { workerTimeout, maxReceiveCount = 5 }: TurnQueueProps) {
    super(scope, id);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters');
    this.visibility = workerTimeout.plus(VISIBILITY_SLACK);
    this.queue = new sqs.Queue(this, 'Queue', {
      visibilityTimeout: this.visibility,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
  }
}

/** Kept as long as SQS keeps anything: somebody has to look. */
export function deadLetterQueue(scope: Construct, id: string): sqs.Queue {
  return new sqs.Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: sqs.QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });
}
