/**
 * One DynamoDB table behind the document client: what sends a command, sorts what goes wrong, and tells a condition
 * that failed from a store that did not answer. Knows keys and items, nothing about tasks.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { RetryableError } from '../core/errors.ts';
import { nameOf, sortError } from './errors.ts';
import type { Item } from './head-item.ts';
import { attr } from './table-keys.ts';

/** A condition failed: nothing was written. `standing` is the item that was in the way, if there is one. */
export interface Refused {
  readonly refused: true;
  readonly standing: Item | undefined;
}

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** DynamoDB's own limits for one BatchWriteItem and one BatchGetItem. */
const BATCH_ITEMS = 25;
const BATCH_KEYS = 100;
const BATCH_TRIES = 8;
const BATCH_DELAY_MS = 50;

const BEGINS = `${attr.pk} = :pk AND begins_with(${attr.sk}, :sk)`;

type Without<T> = Omit<T, 'TableName'>;

/** One page of a query: what was found, how many entries were looked at for it, and where the next one begins. */
export interface Page {
  readonly items: readonly Item[];
  readonly count: number;
  readonly looked: number;
  readonly next: Item | undefined;
}

export class Table {
  readonly #client: DynamoDBDocumentClient;
  readonly #name: string;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(client: DynamoDBDocumentClient, name: string, sleep: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#name = name;
    this.#sleep = sleep;
  }

  /** Strongly consistent. */
  async get({ pk, sk }: Key): Promise<Item | undefined> {
    const command = new GetCommand({
      TableName: this.#name,
      Key: { [attr.pk]: pk, [attr.sk]: sk },
      ConsistentRead: true,
    });
    return (await this.#sorted(() => this.#client.send(command))).Item;
  }

  /** The items of these keys that exist, strongly consistent, in no particular order; no key may stand there twice. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const batches: Key[][] = [];
    for (let at = 0; at < keys.length; at += BATCH_KEYS) batches.push(keys.slice(at, at + BATCH_KEYS));
    return (await Promise.all(batches.map((batch) => this.#getBatch(batch)))).flat();
  }

  /** What DynamoDB leaves unread, because of its size or of throttling, is asked for again, with growing delays. */
  async #getBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = [];
    let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ [attr.pk]: pk, [attr.sk]: sk }));
    for (let tries = 1; left.length > 0; tries++) {
      if (tries > BATCH_TRIES) throw new RetryableError('THROTTLED', `${left.length} items left unread`);
      if (tries > 1) await this.#sleep(BATCH_DELAY_MS * 2 ** (tries - 2));
      const command = new BatchGetCommand({ RequestItems: { [this.#name]: { Keys: left, ConsistentRead: true } } });
      const { Responses, UnprocessedKeys } = await this.#sorted(() => this.#client.send(command));
      items.push(...(Responses?.[this.#name] ?? []));
      left = UnprocessedKeys?.[this.#name]?.Keys ?? [];
    }
    return items;
  }

  async put(item: Item): Promise<void> {
    const command = new PutCommand({ TableName: this.#name, Item: item });
    await this.#sorted(() => this.#client.send(command));
  }

  async putIf(input: Without<PutCommandInput> & { readonly Item: Item }): Promise<Refused | undefined> {
    const command = new PutCommand({
      ...input,
      TableName: this.#name,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const key = { pk: String(input.Item[attr.pk]), sk: String(input.Item[attr.sk]) };
    const outcome = await this.#unlessRefused(key, () => this.#client.send(command));
    return 'refused' in outcome ? outcome : undefined;
  }

  /** Answers with the whole item as it is after the update. */
  async updateIf(
    key: Key,
    input: Without<Omit<UpdateCommandInput, 'Key'>>,
  ): Promise<Refused | { readonly item: Item }> {
    const command = new UpdateCommand({
      ...input,
      TableName: this.#name,
      Key: { [attr.pk]: key.pk, [attr.sk]: key.sk },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await this.#unlessRefused(key, () => this.#client.send(command));
    return 'refused' in outcome ? outcome : { item: outcome.Attributes ?? {} };
  }

  /** The items of a query, page after page. */
  async *query(input: Without<QueryCommandInput>): AsyncGenerator<Item> {
    let from: Item | undefined;
    do {
      const page = await this.page({ ...input, ...(from ? { ExclusiveStartKey: from } : {}) });
      yield* page.items;
      from = page.next;
    } while (from);
  }

  async page(input: Without<QueryCommandInput>): Promise<Page> {
    const command = new QueryCommand({ ...input, TableName: this.#name });
    const { Items, Count, ScannedCount, LastEvaluatedKey } = await this.#sorted(() => this.#client.send(command));
    return { items: Items ?? [], count: Count ?? 0, looked: ScannedCount ?? 0, next: LastEvaluatedKey };
  }

  /** Items of a task whose sort key begins with `sk`, strongly consistent, in the order of their keys. */
  queryPrefix({ pk, sk }: Key): AsyncGenerator<Item> {
    return this.query({
      KeyConditionExpression: BEGINS,
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
      ConsistentRead: true,
    });
  }

  /** The keys of a task's items, strongly consistent; with `sk`, of those whose sort key begins with it. */
  async keysOf(pk: string, sk = ''): Promise<Key[]> {
    const keys: Key[] = [];
    const found = this.query({
      KeyConditionExpression: sk === '' ? `${attr.pk} = :pk` : BEGINS,
      ProjectionExpression: attr.sk,
      ExpressionAttributeValues: sk === '' ? { ':pk': pk } : { ':pk': pk, ':sk': sk },
      ConsistentRead: true,
    });
    for await (const item of found) keys.push({ pk, sk: String(item[attr.sk]) });
    return keys;
  }

  /** Deletes in batches; what DynamoDB leaves undone is tried again, with growing delays. */
  async deleteAll(keys: readonly Key[]): Promise<void> {
    for (let at = 0; at < keys.length; at += BATCH_ITEMS) {
      let requests: Record<string, unknown>[] = keys
        .slice(at, at + BATCH_ITEMS)
        .map(({ pk, sk }) => ({ DeleteRequest: { Key: { [attr.pk]: pk, [attr.sk]: sk } } }));
      for (let tries = 1; requests.length > 0; tries++) {
        if (tries > BATCH_TRIES) throw new RetryableError('THROTTLED', `${requests.length} deletions left undone`);
        if (tries > 1) await this.#sleep(BATCH_DELAY_MS * 2 ** (tries - 2));
        const command = new BatchWriteCommand({ RequestItems: { [this.#name]: requests } });
        const { UnprocessedItems } = await this.#sorted(() => this.#client.send(command));
        requests = UnprocessedItems?.[this.#name] ?? [];
      }
    }
  }

  /** Deletes an item under a condition. */
  async deleteIf(key: Key, condition: Condition): Promise<Refused | undefined> {
    const command = new DeleteCommand({
      ...condition,
      TableName: this.#name,
      Key: { [attr.pk]: key.pk, [attr.sk]: key.sk },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await this.#unlessRefused(key, () => this.#client.send(command));
    return 'refused' in outcome ? outcome : undefined;
  }

  async #sorted<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw sortError(error, 'STORE_UNAVAILABLE');
    }
  }

  async #unlessRefused<T extends object>(key: Key, send: () => Promise<T>): Promise<T | Refused> {
    try {
      return await send();
    } catch (error) {
      if (nameOf(error) !== 'ConditionalCheckFailedException') throw sortError(error, 'STORE_UNAVAILABLE');
      const returned = (error as { readonly Item?: Record<string, unknown> }).Item;
      // dynalite never returns the item, and DynamoDB returns none when there is none: a read settles both.
      const standing = returned === undefined ? await this.get(key) : plainItem(returned);
      return { refused: true, standing };
    }
  }
}

export type Condition = Pick<
  Without<PutCommandInput>,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** The item in an error has not been through the document client: strings, numbers, booleans and lists are ours. */
function plainItem(item: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const typed = value as Partial<Record<'S' | 'N' | 'BOOL' | 'B' | 'L', unknown>> & Partial<AttributeValue>;
  if (typed.S !== undefined) return typed.S;
  if (typed.N !== undefined) return Number(typed.N);
  if (typed.BOOL !== undefined) return typed.BOOL;
  if (typed.B !== undefined) return typed.B;
  if (Array.isArray(typed.L)) return typed.L.map(plain);
  return value;
}
