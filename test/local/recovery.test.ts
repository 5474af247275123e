/** What a process that died had owed is done by the next one that starts on its data (design sections 5.3 and 8). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import expenseAgent from '../../examples/expense-agent/agent.ts';
import { startDynalite } from '../../local/dynalite.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { tableNameOf } from '../../local/table-name.ts';
import { localUser } from '../../local/users.ts';
import { wire } from '../e2e/support/bindings.ts';
import { REQUEST, say, taskOf } from '../e2e/support/expense.ts';
import { ShiftedClock } from '../e2e/support/shifted-clock.ts';
import { until } from '../e2e/support/target.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

let data: string;
let runtime: Runtime | undefined;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-recovery-'));
});
afterEach(async () => {
  await runtime?.stop();
  runtime = undefined;
  await rm(data, { recursive: true, force: true });
});

async function start(clock = new ShiftedClock(), log = new QuietLog()) {
  runtime = await startRuntime({ port: 0, data, agent: expenseAgent, clock, log });
  return wire('JSONRPC', runtime.url);
}

test('a turn whose queue message was lost with the process is taken up at once, long before its next dispatch', async () => {
  const table = await startDynalite(data, tableNameOf('Expense agent'));
  const clock = new ShiftedClock();
  const store = new DynamoTaskStore(table);
  // The queue of these deps is a fake that nobody empties.
  const deps = fakeDeps({ agent: expenseAgent({ dataFolder: data }), clock, store });
  const sent = await sendMessage(deps, localUser, {
    message: say(REQUEST),
    configuration: { returnImmediately: true },
  });
  await table.stop();
  if (!('task' in sent)) throw new Error('no task');
  expect(sent.task.status.state).toBe('TASK_STATE_SUBMITTED');

  const a2a = await start();
  await until('the question', async () => {
    return taskOf(await a2a.get(sent.task.id)).status.state === 'TASK_STATE_INPUT_REQUIRED';
  });
});

test('a question that expired while nothing ran is expired by the first sweep, though nobody looks', async () => {
  const { id } = taskOf(await (await start()).send(say(REQUEST)));
  await runtime?.stop();
  const later = new ShiftedClock();
  later.advance(25 * 3_600_000);
  const log = new QuietLog();
  const a2a = await start(later, log);
  await until('the expiry', async () => log.counted('QuestionsExpired') === 1);
  expect(taskOf(await a2a.get(id)).status.state).toBe('TASK_STATE_FAILED');
});
