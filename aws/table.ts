/**
 * One DynamoDB table: what sends a command, sorts what goes wrong, and tells a condition
 * that failed from a store that did not answer. Knows keys and items, nothing about tasks.
 */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { RetryableError } from '../core/errors.ts';
import { nameOf, sortError } from './errors.ts';
import { type Item, plainItem, typedItem } from './item.ts';
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

/** With plain values. */
export interface Query
  extends Omit<QueryCommandInput, 'TableName' | 'ExpressionAttributeValues' | 'ExclusiveStartKey'> {
  readonly ExpressionAttributeValues: Item;
  readonly ExclusiveStartKey?: Item;
}

/** One page of a query: what was found, how many entries were looked at for it, and where the next one begins. */
export interface Page {
  readonly items: readonly Item[];
  readonly count: number;
  readonly looked: number;
  readonly next: Item | undefined;
}

export class Table {
  readonly #client: DynamoDBClient;
  readonly #name: string;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(client: DynamoDBClient, name: string, sleep: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#name = name;
    this.#sleep = sleep;
  }

  /** Strongly consistent. */
  async get(key: Key): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: this.#name, Key: typedKey(key), ConsistentRead: true });
    const { Item } = await this.#sorted(() => this.#client.send(command));
    return Item && plainItem(Item);
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
    let left = keys.map(typedKey);
    for (let tries = 1; left.length > 0; tries++) {
      if (tries > BATCH_TRIES) throw new RetryableError('THROTTLED', `${left.length} items left unread`);
      if (tries > 1) await this.#sleep(BATCH_DELAY_MS * 2 ** (tries - 2));
      const command = new BatchGetItemCommand({ RequestItems: { [this.#name]: { Keys: left, ConsistentRead: true } } });
      const { Responses, UnprocessedKeys } = await this.#sorted(() => this.#client.send(command));
      items.push(...(Responses?.[this.#name] ?? []).map(plainItem));
      left = UnprocessedKeys?.[this.#name]?.Keys ?? [];
    }
    return items;
  }

  async put(item: Item): Promise<void> {
    const command = new PutItemCommand({ TableName: this.#name, Item: typedItem(item) });
    await this.#sorted(() => this.#client.send(command));
  }

  async putIf(item: Item, condition: Condition): Promise<Refused | undefined> {
    const command = new PutItemCommand({
      ...typedValues(condition),
      TableName: this.#name,
      Item: typedItem(item),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const key = { pk: String(item[attr.pk]), sk: String(item[attr.sk]) };
    const outcome = await this.#unlessRefused(key, () => this.#client.send(command));
    return 'refused' in outcome ? outcome : undefined;
  }

  /** Answers with the whole item as it is after the update. */
  async updateIf(key: Key, update: Update): Promise<Refused | { readonly item: Item }> {
    const command = new UpdateItemCommand({
      ...typedValues(update),
      TableName: this.#name,
      Key: typedKey(key),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await this.#unlessRefused(key, () => this.#client.send(command));
    return 'refused' in outcome ? outcome : { item: plainItem(outcome.Attributes ?? {}) };
  }

  /** The items of a query, page after page. */
  async *query(input: Query): AsyncGenerator<Item> {
    let from: Item | undefined;
    do {
      const page = await this.page({ ...input, ...(from ? { ExclusiveStartKey: from } : {}) });
      yield* page.items;
      from = page.next;
    } while (from);
  }

  async page({ ExclusiveStartKey: from, ...query }: Query): Promise<Page> {
    const command = new QueryCommand({
      ...typedValues(query),
      TableName: this.#name,
      ...(from && { ExclusiveStartKey: typedItem(from) }),
    });
    const { Items, Count, ScannedCount, LastEvaluatedKey } = await this.#sorted(() => this.#client.send(command));
    return {
      items: Items?.map(plainItem) ?? [],
      count: Count ?? 0,
      looked: ScannedCount ?? 0,
      next: LastEvaluatedKey && plainItem(LastEvaluatedKey),
    };
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
      let requests: WriteRequest[] = keys
        .slice(at, at + BATCH_ITEMS)
        .map((key) => ({ DeleteRequest: { Key: typedKey(key) } }));
      for (let tries = 1; requests.length > 0; tries++) {
        if (tries > BATCH_TRIES) throw new RetryableError('THROTTLED', `${requests.length} deletions left undone`);
        if (tries > 1) await this.#sleep(BATCH_DELAY_MS * 2 ** (tries - 2));
        const command = new BatchWriteItemCommand({ RequestItems: { [this.#name]: requests } });
        const { UnprocessedItems } = await this.#sorted(() => this.#client.send(command));
        requests = UnprocessedItems?.[this.#name] ?? [];
      }
    }
  }

  /** Deletes an item under a condition. */
  async deleteIf(key: Key, condition: Condition): Promise<Refused | undefined> {
    const command = new DeleteItemCommand({
      ...typedValues(condition),
      TableName: this.#name,
      Key: typedKey(key),
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
      const returned = (error as { readonly Item?: Record<string, AttributeValue> }).Item;
      // dynalite never returns the item, and DynamoDB returns none when there is none: a read settles both.
      const standing = returned === undefined ? await this.get(key) : plainItem(returned);
      return { refused: true, standing };
    }
  }
}

/** Expressions with their values as plain ones. */
export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

export interface Update extends Condition {
  readonly UpdateExpression: string;
}

function typedValues<T extends { readonly ExpressionAttributeValues?: Item }>({
  ExpressionAttributeValues: values,
  ...given
}: T) {
  return values === undefined ? given : { ...given, ExpressionAttributeValues: typedItem(values) };
}

function typedKey({ pk, sk }: Key): Record<string, AttributeValue> {
  return { [attr.pk]: { S: pk }, [attr.sk]: { S: sk } };
}
