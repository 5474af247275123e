/**
 * Push configs in the tasks' table, one item each. Access patterns are those of table-keys.ts. An item names the birth
 * of its task in its key: what a first message wrote for a task that another one made belongs to nobody, and goes with
 * the task.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { PushStore, PushTask } from '../core/push/ports.ts';
import type { PushConfig } from '../core/push/config.ts';
import { type Condition, type Key, Table } from './table.ts';
import { attr, prefix, pushSk, taskPk } from './table-keys.ts';

export interface DynamoPushStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

export class DynamoPushStore implements PushStore {
  readonly #table: Table;

  constructor({ client, tableName }: DynamoPushStoreOptions) {
    this.#table = new Table(client, tableName, (ms) => sleep(ms));
  }

  /** Access pattern 18. */
  async get(task: PushTask, id: string): Promise<PushConfig | undefined> {
    const item = await this.#table.get(keyOf(task, id));
    return item && (JSON.parse(String(item[attr.json])) as PushConfig);
  }

  /** Access pattern 19. */
  async list(task: PushTask): Promise<readonly PushConfig[]> {
    const configs: PushConfig[] = [];
    for await (const item of this.#table.queryPrefix({ pk: taskPk(task.taskId), sk: prefix.push })) {
      if (item[attr.born] === task.bornMs) configs.push(JSON.parse(String(item[attr.json])) as PushConfig);
    }
    return configs.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * Access pattern 20.
   * Who loses: a sender whose lease ran out, and two who register at once; they read again, and find whose it is now.
   */
  async put(task: PushTask, previous: PushConfig | undefined, next: PushConfig): Promise<boolean> {
    const { pk, sk } = keyOf(task, next.id);
    const json = JSON.stringify(next);
    const item = {
      [attr.pk]: pk,
      [attr.sk]: sk,
      [attr.born]: task.bornMs,
      [attr.version]: next.version,
      [attr.json]: json,
    };
    const refused = await this.#table.putIf(item, isAsRead(previous));
    // The SDK repeats a write whose response was lost; the repeat is refused by what the write itself has made.
    return !refused || refused.standing?.[attr.json] === json;
  }

  /** Access pattern 21. */
  async delete(task: PushTask, id: string): Promise<void> {
    await this.#table.deleteAll([keyOf(task, id)]);
  }
}

function isAsRead(previous: PushConfig | undefined): Condition {
  if (!previous) return { ConditionExpression: `attribute_not_exists(${attr.pk})` };
  return {
    ConditionExpression: `${attr.version} = :version`,
    ExpressionAttributeValues: { ':version': previous.version },
  };
}

function keyOf({ taskId, bornMs }: PushTask, id: string): Key {
  return { pk: taskPk(taskId), sk: pushSk(id, bornMs) };
}
