/**
 * What one question takes of AWS, counted: the worked example from its first message to its deletion a month after its end, by the code that is
 * deployed, over dynalite. Units of the table are dynalite's; those of indexes, which it does not count, follow from the
 * keys before and after each write (aws/table-keys.ts): a key that changed is deleted and put.
 */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { DynamoTaskStore } from '../aws/dynamodb-task-store.ts';
import { attr, HEAD_SK, taskPk } from '../aws/table-keys.ts';
import type { Message, Task } from '../core/message.ts';
import { doDue } from '../core/operations/do-due.ts';
import { getTask } from '../core/operations/get-task.ts';
import { runTurn } from '../core/operations/run-turn.ts';
import { sendMessage } from '../core/operations/send-message.ts';
import { createExpenseAgent } from '../examples/expense-agent/agent.ts';
import { fakeDeps } from '../test/fakes/deps.ts';
import { localClient, startDynalite } from '../test/support/dynalite.ts';

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

const OWNER = { tenant: 'acme', principal: 'https://login.example.com#user-1' };
const BUDGET = { remainingMs: () => 900_000 };
const RETENTION_MS = 31 * 24 * 3_600_000;
const INDEXES = [
  [attr.ownerShard, attr.statusAt],
  [attr.contextKey, attr.pk],
  [attr.dueShard, attr.due],
] as const;

type Keys = readonly (string | undefined)[];

export async function countQuestion(): Promise<Counted> {
  const dynamo = await startDynalite({ tableName: 'counted' });
  try {
    return await count(dynamo);
  } finally {
    await dynamo.stop();
  }
}

async function count({ client, tableName, endpoint }: Awaited<ReturnType<typeof startDynalite>>): Promise<Counted> {
  const counted: Counted = {
    requests: 0,
    turns: 0,
    reads: 0,
    readUnits: 0,
    writes: 0,
    tableUnits: 0,
    indexUnits: 0,
    messagesSent: 0,
    timersMade: 0,
    timersDeleted: 0,
    metrics: 0,
    storedBytes: 0,
  };
  let taskId: string | undefined;
  let keys: Keys = [];
  const onlooker = localClient(endpoint);
  const keysNow = async (): Promise<Keys> => {
    if (taskId === undefined) return [];
    const { Item: head = {} } = await onlooker.send(
      new GetCommand({ TableName: tableName, Key: { pk: taskPk(taskId), sk: HEAD_SK }, ConsistentRead: true }),
    );
    return INDEXES.map(([hash, range]) =>
      head[hash] === undefined || head[range] === undefined ? undefined : `${head[hash]} ${head[range]}`,
    );
  };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      const units = ConsumedCapacity?.CapacityUnits ?? 0;
      if (/^(Get|Query|BatchGet)/.test(String(context.commandName))) {
        counted.reads += 1;
        counted.readUnits += units;
        return result;
      }
      counted.writes += 1;
      counted.tableUnits += units;
      const pk = (args.input as { Item?: { pk?: { S?: string } | string } }).Item?.pk;
      taskId ??= typeof pk === 'string' ? pk.slice(2) : pk?.S?.slice(2);
      const after = await keysNow();
      counted.indexUnits += after.reduce((sum, key, at) => sum + changeUnits(keys[at], key), 0);
      keys = after;
      return result;
    },
    { step: 'initialize', name: 'countUnits' },
  );
  const agent = createExpenseAgent({
    ledger: { file: async (expense, idempotencyKey) => ({ ...expense, id: 'EXP-000001', idempotencyKey }) },
    directory: { costCentres: async () => ['CC-4410', 'CC-4420'] },
  });
  const deadlines = {
    set: async () => {
      counted.timersMade += 1;
    },
    delete: async () => {
      counted.timersDeleted += 1;
    },
  };
  const deps = fakeDeps({ agent, deadlines, store: new DynamoTaskStore({ client, tableName }) });
  const send = async (message: Omit<Message, 'role'>): Promise<Task> => {
    counted.requests += 1;
    const configuration = { returnImmediately: true };
    const sent = await sendMessage(deps, OWNER, { message: { role: 'ROLE_USER', ...message }, configuration });
    if (!('task' in sent)) throw new Error('no task');
    return sent.task;
  };
  const look = (id: string) => {
    counted.requests += 1;
    return getTask(deps, OWNER, { id });
  };
  const work = async () => {
    await deps.clock.advance(1_000);
    for (let next = deps.queue.take(); next?.turn !== undefined; next = deps.queue.take()) {
      counted.turns += 1;
      await runTurn(deps, next, BUDGET);
    }
    await deps.clock.advance(60_000);
  };

  const { id } = await send({
    messageId: '5b0f3f5e-3f0c-4b43-9d6e-0a9f6f2b7c11',
    parts: [{ text: 'File my taxi receipt from Tuesday, 42 euros' }],
  });
  await work();
  const asked = await look(id);
  const questionId = asked.status.message?.messageId ?? '';
  const parts = [{ data: { questionId, costCentre: 'CC-4410' } }];
  await send({ messageId: '0b1f6c5e-3c57-4a55-9f0e-6f9d1c5d7a10', taskId: id, parts });
  await work();
  const { status } = await look(id);
  if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`the task is ${status.state}`);

  counted.messagesSent = deps.queue.sent.length;
  counted.metrics = deps.log.metrics.length + deps.log.times.length;
  const { Items = [] } = await onlooker.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': taskPk(id) },
    }),
  );
  counted.storedBytes = Buffer.byteLength(JSON.stringify(Items));
  await deps.clock.advance(RETENTION_MS);
  await doDue(deps, id);
  if (keys.some((key) => key !== undefined)) throw new Error('the task is still there');
  onlooker.destroy();
  return counted;
}

/** Every entry of an index is far below 1 KB. */
function changeUnits(before: string | undefined, after: string | undefined): number {
  if (before === after) return 0;
  return (before === undefined ? 0 : 1) + (after === undefined ? 0 : 1);
}
