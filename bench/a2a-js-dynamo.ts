/**
 * What one would write for `@a2a-js/sdk` on DynamoDB: its `TaskStore` over one item for a task, loaded whole and put whole,
 * without a condition. It keeps callers apart and lists their tasks by an index, as the interface asks; the SDK's own
 * stores do so too. The table is ours, whose `byOwner` has what such a list needs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ListTasksRequest, type ListTasksResponse, Task, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../aws/item.ts';
import { Table } from '../aws/table.ts';
import { attr, index } from '../aws/table-keys.ts';
import { localClient, localDocuments } from '../test/support/dynalite.ts';
import { a2aJsOn } from './a2a-js.ts';
import type { Contender } from './contender.ts';
import type { Place } from './dynalite-process.ts';

/** By the document client, as its documentation shows. */
export function a2aJsOnDynamo({ endpoint, tableName }: Place): Contender {
  const client = localDocuments(endpoint);
  const store = new ItemTaskStore(itemsOfDocuments(client, tableName));
  return a2aJsOn({ store, rounds: 1, stop: async () => client.destroy() });
}

/** The same without the index: a list would have to read all tasks. */
export function a2aJsOnDynamoUnlisted({ endpoint, tableName }: Place): Contender {
  const client = localDocuments(endpoint);
  const items = itemsOfDocuments(client, tableName);
  const kept = [attr.pk, attr.sk, attr.json];
  const store = new ItemTaskStore({
    ...items,
    put: (item) => items.put(Object.fromEntries(kept.map((name) => [name, item[name]]))),
  });
  return a2aJsOn({ store, rounds: 1, stop: async () => client.destroy() });
}

/** The same by the client that ours uses, with its settings. */
export function a2aJsOnOurClient({ endpoint, tableName }: Place): Contender {
  const client = localClient(endpoint);
  const store = new ItemTaskStore(new Table(client, tableName, (ms) => sleep(ms)));
  return a2aJsOn({ store, rounds: 1, stop: async () => client.destroy() });
}

type Items = Pick<Table, 'get' | 'put' | 'query'>;

export function itemsOfDocuments(client: DynamoDBDocumentClient, TableName: string): Items {
  return {
    async get(Key) {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item;
    },
    async put(Item) {
      await client.send(new PutCommand({ TableName, Item }));
    },
    async *query(input) {
      for await (const { Items = [] } of paginateQuery({ client }, { TableName, ...input })) yield* Items;
    },
  };
}

const SK = 'TASK';
const PAGE_SIZE = 50;

export class ItemTaskStore implements TaskStore {
  readonly #items: Items;

  constructor(items: Items) {
    this.#items = items;
  }

  async load(taskId: string, context: ServerCallContext): Promise<Task | undefined> {
    return taskOf(await this.#items.get({ pk: `${callerOf(context)}#${taskId}`, sk: SK }));
  }

  async save(task: Task, context: ServerCallContext): Promise<void> {
    const caller = callerOf(context);
    await this.#items.put({
      [attr.pk]: `${caller}#${task.id}`,
      [attr.sk]: SK,
      [attr.ownerShard]: caller,
      [attr.statusAt]: Date.parse(task.status?.timestamp ?? '') || 0,
      [attr.context]: task.contextId,
      [attr.state]: taskStateToJSON(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED),
      [attr.json]: JSON.stringify(Task.toJSON(task)),
    });
  }

  /** Newest first. A token is the key of the last task of the page before. */
  async list(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const { contextId, status, pageSize = PAGE_SIZE, pageToken, statusTimestampAfter, includeArtifacts } = params;
    const found: string[] = [];
    const entries = this.#items.query({
      IndexName: index.byOwner,
      KeyConditionExpression: `${attr.ownerShard} = :caller`,
      ExpressionAttributeValues: { ':caller': callerOf(context) },
      ScanIndexForward: false,
    });
    for await (const entry of entries) {
      const isAsked =
        (contextId === '' || entry[attr.context] === contextId) &&
        (status === TaskState.TASK_STATE_UNSPECIFIED || entry[attr.state] === taskStateToJSON(status)) &&
        (!statusTimestampAfter || Number(entry[attr.statusAt]) >= Date.parse(statusTimestampAfter));
      if (isAsked) found.push(String(entry[attr.pk]));
    }
    const before = pageToken === '' ? -1 : found.indexOf(pageToken);
    const page = found.slice(before + 1, before + 1 + pageSize);
    const items = await Promise.all(page.map((pk) => this.#items.get({ pk, sk: SK })));
    const tasks = items.flatMap((item) => taskOf(item) ?? []);
    // Histories are cut by the SDK's handler.
    const shown = includeArtifacts ? tasks : tasks.map((task) => ({ ...task, artifacts: [] }));
    const last = page.at(-1) ?? '';
    const nextPageToken = last === (found.at(-1) ?? '') ? '' : last;
    return { tasks: shown, nextPageToken, pageSize, totalSize: found.length };
  }
}

/** As the SDK's own stores tell callers apart. */
function callerOf({ tenant, user }: ServerCallContext): string {
  return `A2A#${JSON.stringify([tenant ?? '', user?.userName || 'unknown'])}`;
}

function taskOf(item: Item | undefined): Task | undefined {
  return item && Task.fromJSON(JSON.parse(String(item[attr.json])));
}
