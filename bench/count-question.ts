/**
 * What one question takes of AWS, counted: the worked example from its first message to its deletion a month after its
 * end, by the code that is deployed, over dynalite (counted/world.ts, meter.ts).
 */
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { plainItem } from '../aws/item.ts';
import { taskPk } from '../aws/table-keys.ts';
import { createExpenseAgent } from '../examples/expense-agent/agent.ts';
import { localClient } from '../test/support/dynalite.ts';
import { type CountedWorld, countedWorld, type Spent } from './counted/world.ts';

export interface Counted {
  /** To the api function: the request, a look at the question, the answer, a look at the result. */
  requests: number;
  turns: number;
  reads: number;
  readUnits: number;
  writes: number;
  /** Of the table. */
  tableUnits: number;
  /** Of the three indexes. */
  indexUnits: number;
  messagesSent: number;
  timersMade: number;
  timersDeleted: number;
  /** Lines in the embedded metric format. */
  metrics: number;
  /** What stays in the table until the task is deleted, as JSON. */
  storedBytes: number;
}

const RETENTION_MS = 31 * 24 * 3_600_000;

export async function countQuestion(): Promise<Counted> {
  const world = await countedWorld(
    createExpenseAgent({
      ledger: { file: async (expense, idempotencyKey) => ({ ...expense, id: 'EXP-000001', idempotencyKey }) },
      directory: { costCentres: async () => ['CC-4410', 'CC-4420'] },
    }),
  );
  try {
    return await count(world);
  } finally {
    await world.stop();
  }
}

async function count(world: CountedWorld): Promise<Counted> {
  const { request, answer, look, work, due, deps, spent } = world;
  const task = await request();
  const turn = async () => {
    await deps.clock.advance(1_000);
    await work();
    await deps.clock.advance(60_000);
  };
  await turn();
  await look(task);
  await answer(task);
  await turn();
  const { status } = await look(task);
  if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`the task is ${status.state}`);
  const metrics = deps.log.metrics.length + deps.log.times.length;
  const storedBytes = await storedAsJson(world, task.id);
  await deps.clock.advance(RETENTION_MS);
  await due(task);
  if ((await world.stored(task.id)).items > 0) throw new Error('the task is still there');
  const { reads, readUnits, writes, tableUnits, indexUnits, sends, timersMade, timersDeleted }: Spent = spent();
  return {
    requests: 4,
    turns: sends,
    ...{ reads, readUnits, writes, tableUnits, indexUnits },
    messagesSent: sends,
    ...{ timersMade, timersDeleted, metrics, storedBytes },
  };
}

async function storedAsJson({ endpoint, tableName }: CountedWorld, taskId: string): Promise<number> {
  const onlooker = localClient(endpoint);
  const { Items = [] } = await onlooker.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: taskPk(taskId) } },
    }),
  );
  onlooker.destroy();
  return Buffer.byteLength(JSON.stringify(Items.map(plainItem)));
}
