/**
 * A pending store in a DynamoDB table, for callers that run in more than one place. The only file of client/ that knows
 * AWS; imported by itself, so that nobody else loads the SDK.
 *
 * Access patterns: 1. one task (GetItem on pk and sk, strongly consistent); 2. all that are pending (Query on pk);
 * 3. compare-and-set (conditional Put). One partition holds a scope's tasks: enough for some hundred writes a second.
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { PendingStore, PendingTask, StoredTask } from './pending-store.ts';

export interface DynamoPendingOptions {
  readonly client: DynamoDBDocumentClient;
  /** A table with the string keys `pk` and `sk`, and `ttl` as its time to live; it may hold other things as well. */
  readonly tableName: string;
  /** Keeps the tasks of several applications in one table apart. Default `pending`. */
  readonly scope?: string;
}

/** How long a record stays after its last write: longer than a question may be open (30 days). */
const KEEP_SECONDS = 60 * 24 * 60 * 60;
/** A task that is over refuses answers itself: the record is for those who race its end. */
const DONE_SECONDS = 7 * 24 * 60 * 60;

interface Item {
  readonly version: number;
  readonly writeId: string;
  readonly record: string;
}

export class DynamoPendingStore implements PendingStore {
  readonly #options: DynamoPendingOptions;
  readonly #pk: string;

  /** @throws TypeError for a client with `cacheMiddleware`: it would send the first of these commands again and again */
  constructor(options: DynamoPendingOptions) {
    if (options.client.config.cacheMiddleware)
      throw new TypeError('DynamoPendingStore needs a document client without cacheMiddleware');
    this.#options = options;
    this.#pk = options.scope ?? 'pending';
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    const { client, tableName } = this.#options;
    const Key = { pk: this.#pk, sk: taskId };
    const { Item: item } = await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
    return item && storedTask(item as Item);
  }

  async list(): Promise<readonly StoredTask[]> {
    const found: StoredTask[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await this.#options.client.send(
        new QueryCommand({
          TableName: this.#options.tableName,
          KeyConditionExpression: 'pk = :pk',
          FilterExpression: '#state <> :done',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':pk': this.#pk, ':done': 'done' },
          ConsistentRead: true,
          ...(from ? { ExclusiveStartKey: from } : {}),
        }),
      );
      found.push(...(page.Items ?? []).map((item) => storedTask(item as Item)));
      from = page.LastEvaluatedKey;
    } while (from);
    return found.sort((a, b) => a.task.savedAtMs - b.task.savedAtMs);
  }

  async write(task: PendingTask, expected: number | undefined): Promise<boolean> {
    const writeId = randomUUID();
    const item: Item = { version: (expected ?? 0) + 1, writeId, record: JSON.stringify(task) };
    const ttl = Math.floor(task.savedAtMs / 1_000) + (task.state === 'done' ? DONE_SECONDS : KEEP_SECONDS);
    try {
      await this.#options.client.send(
        new PutCommand({
          TableName: this.#options.tableName,
          Item: { pk: this.#pk, sk: task.taskId, state: task.state, ttl, ...item },
          // Who comes second finds another version, and decides again.
          ...(expected === undefined
            ? { ConditionExpression: 'attribute_not_exists(pk)' }
            : {
                ConditionExpression: '#version = :expected',
                ExpressionAttributeNames: { '#version': 'version' },
                ExpressionAttributeValues: { ':expected': expected },
              }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The SDK's own retry makes a write that was committed look like a lost one.
      return error.Item?.writeId?.S === writeId;
    }
  }
}

function storedTask({ version, record }: Item): StoredTask {
  return { task: JSON.parse(record) as PendingTask, version };
}
