/**
 * Sends dead letters back to the queue they came from, for `askback redrive` (client/askback.ts). Nothing that runs in
 * an agent's functions comes here. What may go back is what some queue sends here when it gives up: turns and pokes. Dead
 * timers have no such queue, and need not go anywhere, because the sweeper did what they would have done.
 */
import {
  GetQueueAttributesCommand,
  paginateListDeadLetterSourceQueues,
  paginateListQueues,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';

/** So that client/ need not know the SDK. */
export type RedriveClient = SQSClient;

export interface DeadLetterQueue {
  readonly url: string;
  readonly arn: string;
  /** As SQS counts: about. */
  readonly messages: number;
  /** ARN of the queue whose dead letters these are; undefined where none says so. */
  readonly source: string | undefined;
}

/** CloudFormation's name for an unnamed queue: stack, logical id, which has no dash, and a suffix of its own. */
const DEAD_LETTERS = /^[A-Za-z0-9]*(Turns|Push)DeadLetters[0-9A-F]{8}-[A-Za-z0-9]+$/;

/**
 * The dead-letter queues for turns and for pokes of all agents of a stack, by their names. CloudFormation shortens names
 * over 80 characters, so a stack with a long name has none here; where only pokes have a queue, the other one's name,
 * which is longer, was shortened.
 */
export async function findDeadLetterQueues(client: SQSClient, stack: string): Promise<string[]> {
  const prefix = `${stack}-`;
  const found: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client, pageSize: 1_000 }, { QueueNamePrefix: prefix })) {
    found.push(...QueueUrls.filter((url) => DEAD_LETTERS.test(nameOf(url).slice(prefix.length))));
  }
  return found.some((url) => DEAD_LETTERS.exec(nameOf(url).slice(prefix.length))?.[1] === 'Turns') ? found.sort() : [];
}

export async function readDeadLetterQueue(client: SQSClient, url: string): Promise<DeadLetterQueue> {
  const { arn, messages } = await attributesOf(client, url);
  const sources: string[] = [];
  const pages = paginateListDeadLetterSourceQueues({ client, pageSize: 1_000 }, { QueueUrl: url });
  for await (const { queueUrls = [] } of pages) sources.push(...queueUrls);
  // With more than one, only SQS knows which message came from where, and it is not told where to.
  const [only, another] = sources;
  if (only === undefined || another !== undefined) return { url, arn, messages, source: undefined };
  return { url, arn, messages, source: (await attributesOf(client, only)).arn };
}

/**
 * Starts the move and does not wait for its end. The destination is named although SQS could tell for most: letters that
 * an agent's own function put there (receivers that were given up) were never in the source.
 * @returns the handle by which `aws sqs cancel-message-move-task` knows it
 */
export async function startRedrive(client: SQSClient, { arn, source }: DeadLetterQueue): Promise<string> {
  if (source === undefined) throw new Error(`${arn} is the dead-letter queue of no queue, or of several`);
  const command = new StartMessageMoveTaskCommand({ SourceArn: arn, DestinationArn: source });
  return (await client.send(command)).TaskHandle ?? '';
}

async function attributesOf(client: SQSClient, url: string): Promise<{ arn: string; messages: number }> {
  const AttributeNames = ['QueueArn', 'ApproximateNumberOfMessages'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...AttributeNames] }),
  );
  return { arn: Attributes.QueueArn ?? '', messages: Number(Attributes.ApproximateNumberOfMessages ?? 0) };
}

export function nameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
