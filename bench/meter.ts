/**
 * Counts what a client asks of DynamoDB, in a middleware of the client. Units of the table are dynalite's; those of the
 * indexes, which it does not count, follow from the keys before and after each write (aws/table-keys.ts): a key that
 * changed is deleted and put, one unit each. A refused write comes back with the item that stood in its way, as from
 * DynamoDB and not from dynalite, so that the code does not read for it.
 */
import { type DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { attr, HEAD_SK, taskPk } from '../aws/table-keys.ts';
import { localClient } from '../test/support/dynalite.ts';
import { itemBytes, type RawItem, writeUnits } from './item-size.ts';

export interface Tally {
  /** Commands that were sent, without the SDK's repeats. */
  calls: number;
  reads: number;
  readUnits: number;
  writes: number;
  /** Of the writes: by a condition that failed. They are billed like others. */
  refused: number;
  /** Of the table. */
  tableUnits: number;
  /** Of the three indexes. */
  indexUnits: number;
  /** Of the dearest write of a head. */
  headUnits: number;
  /** Of the reads: queries of an index, and the entries that they looked at. */
  pages: number;
  entries: number;
}

export interface Meter {
  /** What was counted since the last time. */
  take(): Tally;
  /** Bytes of all items of a task, as DynamoDB bills them, and how many there are. */
  stored(taskId: string): Promise<{ readonly bytes: number; readonly items: number; readonly headBytes: number }>;
  stop(): void;
}

const INDEXES = [
  [attr.ownerShard, attr.statusAt],
  [attr.contextKey, attr.pk],
  [attr.dueShard, attr.due],
] as const;

type Keys = readonly (string | undefined)[];
interface Capacity {
  readonly CapacityUnits?: number;
}
interface Output {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[];
  readonly ScannedCount?: number;
}
interface Input {
  readonly Item?: RawItem;
  readonly Key?: RawItem;
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
  ReturnConsumedCapacity?: string;
}

/**
 * @param client one that has sent nothing to a table yet (aws/clients.ts, `cacheMiddleware`)
 * @param endpoint where an onlooker, who is not counted, sees the same table
 */
export function meterOf(client: DynamoDBClient, tableName: string, endpoint: string): Meter {
  const onlooker = localClient(endpoint);
  const keysOf = new Map<string, Keys>();
  let tally = noTally();
  const item = async (pk: string, sk: string): Promise<RawItem | undefined> => {
    const Key = { pk: { S: pk }, sk: { S: sk } };
    return (await onlooker.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
  };
  const countIndexes = async (pk: string): Promise<void> => {
    const after = indexKeys(await item(pk, HEAD_SK));
    const before = keysOf.get(pk) ?? [];
    tally.indexUnits += after.reduce((sum, key, at) => sum + changeUnits(before[at], key), 0);
    keysOf.set(pk, after);
  };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = args.input as Input;
      const name = String(context.commandName);
      input.ReturnConsumedCapacity = 'TOTAL';
      tally.calls += 1;
      if (/^(Get|Query|BatchGet)/.test(name)) {
        const result = await next(args);
        const output = result.output as Output;
        tally.reads += 1;
        // DynamoDB bills a look that finds nothing, dynalite does not.
        tally.readUnits += unitsOf(output) || (input.ConsistentRead ? 1 : 0.5);
        if (input.IndexName !== undefined) tally.pages += 1;
        if (input.IndexName !== undefined) tally.entries += output.ScannedCount ?? 0;
        return result;
      }
      tally.writes += 1;
      const key = input.Item ?? input.Key;
      const [pk, sk] = [key?.pk?.S ?? '', key?.sk?.S ?? ''];
      try {
        const result = await next(args);
        const units = unitsOf(result.output as Output);
        tally.tableUnits += units;
        if (sk === HEAD_SK) tally.headUnits = Math.max(tally.headUnits, units);
        if (sk === HEAD_SK) await countIndexes(pk);
        return result;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
        const standing = await item(pk, sk);
        tally.refused += 1;
        tally.tableUnits += writeUnits(standing);
        throw standing ? Object.assign(error, { Item: standing }) : error;
      }
    },
    { step: 'initialize', name: 'countUnits' },
  );
  return {
    take() {
      const taken = tally;
      tally = noTally();
      return taken;
    },
    async stored(taskId) {
      const { Items = [] } = await onlooker.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: taskPk(taskId) } },
        }),
      );
      const head = Items.find(({ sk }) => sk?.S === HEAD_SK);
      return {
        bytes: Items.reduce((sum, one) => sum + itemBytes(one), 0),
        items: Items.length,
        headBytes: head ? itemBytes(head) : 0,
      };
    },
    stop() {
      onlooker.destroy();
    },
  };
}

function noTally(): Tally {
  return {
    calls: 0,
    reads: 0,
    readUnits: 0,
    writes: 0,
    refused: 0,
    tableUnits: 0,
    indexUnits: 0,
    headUnits: 0,
    pages: 0,
    entries: 0,
  };
}

function unitsOf({ ConsumedCapacity: capacity = [] }: Output): number {
  const each = Array.isArray(capacity) ? (capacity as readonly Capacity[]) : [capacity as Capacity];
  return each.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

function indexKeys(head: RawItem | undefined): Keys {
  return INDEXES.map(([hash, range]) => {
    const [at, to] = [head?.[hash], head?.[range]];
    return at === undefined || to === undefined ? undefined : `${at.S} ${to.S ?? to.N}`;
  });
}

/** Every entry of an index is far below 1 KB. */
function changeUnits(before: string | undefined, after: string | undefined): number {
  if (before === after) return 0;
  return (before === undefined ? 0 : 1) + (after === undefined ? 0 : 1);
}
