/**
 * An owner's tasks as the byOwner index has them, over all its shards as if they were one. A search reads no further
 * than it must, and not without end: what a page could not look at is left to the next page.
 */
import { limits } from '../core/limits.ts';
import { type FoundTasks, inListOrder, isBehind, type ListPosition, type TaskFilter } from '../core/task-list.ts';
import type { Item } from './item.ts';
import type { Table } from './table.ts';
import { attr, index, names, ownerKeys, taskIdOf } from './table-keys.ts';

/** Later than any status. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** With a filter it is not known how many entries must be looked at for a page: more each time. */
const STEP_FACTOR = 4;

/** What one shard has. Everything newer than `readTo` has been looked at; undefined: everything there is. */
interface ShardPage {
  readonly found: readonly ListPosition[];
  readonly readTo: number | undefined;
}

export async function findTasks(
  table: Table,
  filter: TaskFilter,
  after: ListPosition | undefined,
  limit: number,
): Promise<FoundTasks> {
  const pages = await Promise.all(ownerKeys(filter).map((key) => findInShard(table, key, filter, after, limit)));
  const frontiers = pages.flatMap(({ readTo }) => (readTo === undefined ? [] : [readTo]));
  const frontier = frontiers.length === 0 ? undefined : Math.max(...frontiers);
  // What lies at or below the frontier of one shard may have to stand behind what that shard has not shown yet.
  const found = pages
    .flatMap((page) => page.found)
    .filter(({ atMs }) => frontier === undefined || atMs > frontier)
    .sort(inListOrder);
  if (found.length > limit) {
    const kept = found.slice(0, limit);
    return { found: kept, more: kept.at(-1) as ListPosition };
  }
  return frontier === undefined ? { found } : { found, more: { atMs: frontier, taskId: '' } };
}

/** Counts without reading what it counts; a shard looks at its share of `mostEntries`. */
export async function countTasks(table: Table, filter: TaskFilter, mostEntries: number): Promise<number> {
  const keys = ownerKeys(filter);
  const counts = await Promise.all(keys.map((key) => countInShard(table, key, filter, mostEntries / keys.length)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function findInShard(
  table: Table,
  key: string,
  filter: TaskFilter,
  after: ListPosition | undefined,
  limit: number,
): Promise<ShardPage> {
  const newest = after?.atMs ?? END_OF_TIME;
  if ((filter.sinceMs ?? 0) > newest) return { found: [], readTo: undefined };
  const found: ListPosition[] = [];
  let step = limit + 2;
  let looked = 0;
  let from: Item | undefined;
  for (;;) {
    const page = await table.page({
      ...queryOf(key, filter, newest),
      ScanIndexForward: false,
      Limit: step,
      ...(from ? { ExclusiveStartKey: from } : {}),
    });
    found.push(...page.items.map(positionOf).filter((position) => isBehind(position, after)));
    if (!page.next) return { found, readTo: undefined };
    from = page.next;
    looked += page.looked;
    step = Math.min(step * STEP_FACTOR, limits.listShardEntries);
    // Entries of one millisecond come in no order that could be gone on from, so they are looked at to the last.
    const readTo = Number(from[attr.statusAt]);
    const whole = found.filter(({ atMs }) => atMs > readTo);
    const enough = whole.length > limit || (looked >= limits.listShardEntries && readTo < newest);
    if (enough) return { found: whole, readTo };
  }
}

async function countInShard(table: Table, key: string, filter: TaskFilter, most: number): Promise<number> {
  let count = 0;
  let looked = 0;
  let from: Item | undefined;
  do {
    const page = await table.page({
      ...queryOf(key, filter, END_OF_TIME),
      Select: 'COUNT',
      Limit: Math.ceil(most - looked),
      ...(from ? { ExclusiveStartKey: from } : {}),
    });
    count += page.count;
    looked += page.looked;
    from = page.next;
  } while (from && looked < most);
  return count;
}

/** Only attributes that the index holds: its keys, and what is projected into it. */
function queryOf(key: string, { contextId, state, sinceMs = 0 }: TaskFilter, newest: number) {
  const conditions: string[] = [];
  if (contextId !== undefined) conditions.push(`${attr.context} = :context`);
  if (state !== undefined) conditions.push(`${attr.state} = :state`);
  return {
    IndexName: index.byOwner,
    KeyConditionExpression: `${attr.ownerShard} = :key AND #statusAt BETWEEN :since AND :newest`,
    ...(conditions.length === 0 ? {} : { FilterExpression: conditions.join(' AND ') }),
    ExpressionAttributeNames: names('statusAt'),
    ExpressionAttributeValues: {
      ':key': key,
      ':since': sinceMs,
      ':newest': newest,
      ...(contextId === undefined ? {} : { ':context': contextId }),
      ...(state === undefined ? {} : { ':state': state }),
    },
  };
}

function positionOf(item: Item): ListPosition {
  return { atMs: Number(item[attr.statusAt]), taskId: taskIdOf(String(item[attr.pk])) };
}
