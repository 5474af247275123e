/**
 * The items beside the head: recorded steps, moved-out log entries and marks, blobs and secrets. Each carries `born`, the task's
 * creation time: one that was left by an earlier task of the same id is no item of this task. Blobs alone are named by
 * what they hold, so any will do.
 */
import { inParallel } from '../core/parallel.ts';
import type { Child, LogEntry, Mark, StepRecord } from '../core/task.ts';
import type { Item } from './item.ts';
import { type LogOwner, type PackedEntry, packEntry, unpackEntry } from './log-codec.ts';
import type { Key, Refused, Table } from './table.ts';
import { attr, blobPrefix, blobSk, logSk, markSk, prefix, secretSk, stepSk, taskPk } from './table-keys.ts';

/** DynamoDB's limit is 400 KB with names and keys. */
const BLOB_CHUNK_BYTES = 350 * 1_024;

/** Who a child belongs to. */
export type Parent = LogOwner;

/** Writes all, in parallel; done when every one is written. Writing the same again changes nothing. */
export async function putChildren(table: Table, parent: Parent, children: readonly Child[]): Promise<void> {
  await inParallel(
    children.flatMap((child) => putsOf(table, parent, child)),
    (put) => put(),
  );
}

function putsOf(table: Table, parent: Parent, child: Child): (() => Promise<unknown>)[] {
  switch (child.kind) {
    case 'blob':
      return blobItems(parent, child.hash, child.json).map((item) => () => table.put(item));
    case 'log':
      // Fixed bounds and committed entries only: every writer of a chunk writes the same bytes.
      return [() => putUnlessYounger(table, parent, logSk(child.chunk), packEntries(parent, child.entries))];
    case 'step':
      return [() => putStepItem(table, parent, child.record)];
    case 'secret':
      return [() => table.put(itemOf(parent, secretSk(child.id), child.sealed))];
    case 'mark':
      return [() => putUnlessYounger(table, parent, markSk(child.mark.id), child.mark)];
  }
}

/** Who loses: a writer back from the dead whose task has been removed, against the task that has its id now. */
function putUnlessYounger(table: Table, parent: Parent, sk: string, value: unknown): Promise<unknown> {
  return table.putIf(itemOf(parent, sk, JSON.stringify(value)), {
    ConditionExpression: `attribute_not_exists(${attr.pk}) OR ${attr.born} <= :born`,
    ExpressionAttributeValues: { ':born': parent.bornMs },
  });
}

/**
 * Deletes all that is beside the head, except what is younger than `untilMs`: while this goes on the head may be gone
 * already, and a task of the same id may have begun.
 */
export async function deleteChildren(table: Table, keys: readonly Key[], untilMs: number): Promise<void> {
  await inParallel(keys, (key) =>
    table.deleteIf(key, {
      ConditionExpression: `attribute_not_exists(${attr.born}) OR ${attr.born} <= :until`,
      ExpressionAttributeValues: { ':until': untilMs },
    }),
  );
}

/**
 * Who loses: the second writer of a call's result; it is given the item that stands and takes that result. An item of
 * an earlier task of the same id does not stand in the way.
 */
export function putStepItem(table: Table, parent: Parent, record: StepRecord): Promise<Refused | undefined> {
  return table.putIf(itemOf(parent, stepSk(record.call), JSON.stringify(record)), {
    ConditionExpression: `attribute_not_exists(${attr.pk}) OR ${attr.born} < :born`,
    ExpressionAttributeValues: { ':born': parent.bornMs },
  });
}

export async function readSteps(table: Table, parent: Parent): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  for await (const item of table.queryPrefix({ pk: taskPk(parent.taskId), sk: prefix.step })) {
    const record = childValue<StepRecord>(parent, item);
    if (record) records.push(record);
  }
  return records;
}

/** Newest chunks first until there is enough; `logChunkEntries` only bounds the reading, not what is found. */
export async function readLogBefore(
  table: Table,
  parent: Parent,
  beforeSeq: number,
  limit: number,
  entriesPerChunk: number,
): Promise<LogEntry[]> {
  if (limit <= 0 || beforeSeq <= 1) return [];
  const newestFirst: LogEntry[] = [];
  const chunks = table.query({
    KeyConditionExpression: `${attr.pk} = :pk AND ${attr.sk} BETWEEN :first AND :last`,
    ExpressionAttributeValues: {
      ':pk': taskPk(parent.taskId),
      ':first': logSk(0),
      ':last': logSk(Math.ceil(beforeSeq / entriesPerChunk)),
    },
    ScanIndexForward: false,
    ConsistentRead: true,
    // The first chunk may hold nothing below `beforeSeq`, and the last only a part of what is wanted.
    Limit: Math.ceil(limit / entriesPerChunk) + 2,
  });
  for await (const item of chunks) {
    for (const entry of entriesOf(parent, item).toReversed()) {
      if (entry.seq < beforeSeq) newestFirst.push(entry);
      if (newestFirst.length === limit) return newestFirst.reverse();
    }
  }
  return newestFirst.reverse();
}

function packEntries(parent: Parent, entries: readonly LogEntry[]): readonly PackedEntry[] {
  return entries.map((entry) => packEntry(entry, parent));
}

function entriesOf(parent: Parent, item: Item): readonly LogEntry[] {
  const packed = childValue<readonly PackedEntry[]>(parent, item) ?? [];
  return packed.map((entry) => unpackEntry(entry, parent));
}

/**
 * Undefined unless every chunk is there. `born` does not matter: the hash in the head says what the content is, and a
 * repeated first message, whose head loses, writes the blobs of the task that stands once more.
 */
export async function readBlob(table: Table, parent: Parent, hash: string): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let expected = 1;
  for await (const item of table.queryPrefix({ pk: taskPk(parent.taskId), sk: blobPrefix(hash) })) {
    expected = Number(item[attr.chunks]);
    chunks.push(item[attr.chunk] as Uint8Array);
  }
  return chunks.length === expected ? Buffer.concat(chunks).toString('utf8') : undefined;
}

export async function readSecret(table: Table, parent: Parent, id: string): Promise<string | undefined> {
  const item = await table.get({ pk: taskPk(parent.taskId), sk: secretSk(id) });
  return item === undefined || item[attr.born] !== parent.bornMs ? undefined : String(item[attr.json]);
}

export async function readMark(table: Table, parent: Parent, id: string): Promise<Mark | undefined> {
  const item = await table.get({ pk: taskPk(parent.taskId), sk: markSk(id) });
  return item && childValue<Mark>(parent, item);
}

/** The record in a STEP item; undefined when the item is another task's. */
export function stepOf(parent: Parent, item: Item | undefined): StepRecord | undefined {
  return item === undefined ? undefined : childValue<StepRecord>(parent, item);
}

function blobItems(parent: Parent, hash: string, json: string): Item[] {
  const bytes = Buffer.from(json, 'utf8');
  const count = Math.max(1, Math.ceil(bytes.length / BLOB_CHUNK_BYTES));
  return Array.from({ length: count }, (_, n) => ({
    [attr.pk]: taskPk(parent.taskId),
    [attr.sk]: blobSk(hash, n),
    [attr.born]: parent.bornMs,
    [attr.chunk]: bytes.subarray(n * BLOB_CHUNK_BYTES, (n + 1) * BLOB_CHUNK_BYTES),
    [attr.chunks]: count,
  }));
}

function itemOf(parent: Parent, sk: string, json: string): Item {
  return { [attr.pk]: taskPk(parent.taskId), [attr.sk]: sk, [attr.born]: parent.bornMs, [attr.json]: json };
}

function childValue<T>(parent: Parent, item: Item): T | undefined {
  return item[attr.born] === parent.bornMs ? (JSON.parse(String(item[attr.json])) as T) : undefined;
}
