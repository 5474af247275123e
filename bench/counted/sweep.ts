/**
 * A sweep with 10 due among many that wait (design, section 13). The due tasks are whole, and expire; those that wait
 * hold their keys and their due time only, which is all that a sweep sees of them.
 */
import { performance } from 'node:perf_hooks';
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { createTable } from '../../aws/create-table.ts';
import { type Item, typedItem } from '../../aws/item.ts';
import { attr, dueKey, dueShardOf, HEAD_SK, taskPk } from '../../aws/table-keys.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { fakeDeps } from '../../test/fakes/deps.ts';
import { localClient } from '../../test/support/dynalite.ts';
import { BUDGET, taskThatWaits } from '../askback.ts';
import { dynaliteProcess } from '../dynalite-process.ts';
import { counted, type Line, median, number, spreadOf } from '../line.ts';
import { meterOf, type Tally } from '../meter.ts';
import { askingAgent } from '../question.ts';

const DUE = 10;
const DAY_MS = 24 * 3_600_000;
const BATCH = 25;
const WRITERS = 8;
/** Far behind everything that is due in a sweep of the bench. */
const WAITING_DUE_MS = 4_000_000_000_000;

export interface SweepOptions {
  /** How many wait, in rising order; the first is what the others are compared with. */
  readonly waiting: readonly number[];
  readonly repeats: number;
}

export async function sweepLines({ waiting, repeats }: SweepOptions): Promise<readonly Line[]> {
  const place = await dynaliteProcess();
  const client = localClient(place.endpoint);
  const swept: Swept[] = [];
  try {
    for (const count of waiting) swept.push(await sweptTable(client, place.endpoint, count));
    // In turn about, so that what the machine does beside it falls on all of them.
    for (let repeat = 0; repeat < repeats; repeat++) for (const one of swept) one.ms.push(await one.sweep());
    const lines: Line[] = [];
    for (const { waits, ms, count } of swept) {
      const what = `sweep, ${DUE} due among ${number(waits)}`;
      const { entries, pages, reads } = await count();
      lines.push(
        counted(`${what}: entries of the index`, entries, '', 'sweep.entries'),
        counted(`${what}: pages of the index`, pages, '', 'sweep.pages'),
        counted(`${what}: heads read`, reads - pages, ''),
        ...(ms === swept[0]?.ms
          ? []
          : [timeOver(`${what}: time over ${number(swept[0]?.waits ?? 0)}`, ms, swept[0]?.ms ?? [])]),
      );
    }
    return lines;
  } finally {
    client.destroy();
    await place.stop();
  }
}

function timeOver(what: string, ours: readonly number[], first: readonly number[]): Line {
  const value = median(ours) / median(first);
  const ms = `${number(median(ours))} ms`;
  const than = `${number(median(first))} ms`;
  return {
    section: 'counted',
    what,
    ours: ms,
    theirs: than,
    value,
    ratio: `${number(value)} x`,
    spread: spreadOf(ours),
    budget: 'sweep.time',
  };
}

interface Swept {
  readonly waits: number;
  readonly ms: number[];
  /** Makes ten tasks whose questions expire, and tells how long it takes to sweep them, in milliseconds. */
  sweep(): Promise<number>;
  /** The same once more, counted. */
  count(): Promise<Tally>;
}

async function sweptTable(client: DynamoDBClient, endpoint: string, waits: number): Promise<Swept> {
  const tableName = `waiting-${waits}`;
  await createTable(client, tableName);
  await fill(client, tableName, waits);
  const store = new DynamoTaskStore({ client, tableName });
  const deps = fakeDeps({ agent: askingAgent(), store });
  let ids = 0;
  const prepare = async () => {
    for (let n = 0; n < DUE; n++) await taskThatWaits(deps, `m-${++ids}`);
    await deps.clock.advance(DAY_MS);
  };
  const timed = async (swept = deps) => {
    const start = performance.now();
    const { found, failed } = await sweep(swept, BUDGET);
    if (found !== DUE || failed !== 0) throw new Error(`swept ${found}, failed ${failed}`);
    return performance.now() - start;
  };
  return {
    waits,
    ms: [],
    async sweep() {
      await prepare();
      return timed();
    },
    async count() {
      await prepare();
      const counted = localClient(endpoint);
      const meter = meterOf(counted, tableName, endpoint);
      await timed({ ...deps, store: new DynamoTaskStore({ client: counted, tableName }) });
      meter.stop();
      counted.destroy();
      return meter.take();
    },
  };
}

async function fill(client: DynamoDBClient, tableName: string, to: number): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < to) {
      const ids = Array.from({ length: Math.min(BATCH, to - next) }, (_, at) => `waiting-${next + at}`);
      next += ids.length;
      const requests = ids.map((id) => ({ PutRequest: { Item: typedItem(waitingItem(id)) } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function waitingItem(taskId: string): Item {
  return {
    [attr.pk]: taskPk(taskId),
    [attr.sk]: HEAD_SK,
    [attr.dueShard]: dueKey(dueShardOf(taskId)),
    [attr.due]: WAITING_DUE_MS,
  };
}
