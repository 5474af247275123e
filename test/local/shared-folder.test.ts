/** Agents may share a data folder: each has a table of its own, and does nothing to the other's tasks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineAgent } from '../../agent/index.ts';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { startDynalite } from '../../local/dynalite.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { tableNameOf } from '../../local/table-name.ts';
import { localUser } from '../../local/users.ts';
import { wire } from '../e2e/support/bindings.ts';
import { ShiftedClock } from '../e2e/support/shifted-clock.ts';
import { taskOf } from '../e2e/support/expense.ts';
import { until } from '../e2e/support/target.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

let data: string;
let runtime: Runtime | undefined;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-shared-'));
});
afterEach(async () => {
  await runtime?.stop();
  runtime = undefined;
  await rm(data, { recursive: true, force: true });
});

const ran: string[] = [];
function agent(name: string) {
  return defineAgent({
    card: { name, description: name, version: '1.0.0', skills: [{ id: 'a', name: 'a', description: 'a', tags: [] }] },
    async run(turn) {
      ran.push(name);
      const { word } = await turn.ask('word', {
        text: 'Which word?',
        schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        expiresIn: { hours: 1 },
      });
      await turn.artifact({ name: 'word', data: { word } });
    },
  });
}

/** As if A had been killed between making the task and running its first turn: nobody empties the queue of a fake. */
async function createWithoutTurn(messageId: string): Promise<string> {
  const table = await startDynalite(data, tableNameOf('Agent A'));
  const deps = fakeDeps({ agent: agent('Agent A'), clock: new ShiftedClock(), store: new DynamoTaskStore(table) });
  const message = { messageId, role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
  const sent = await sendMessage(deps, localUser, { message, configuration: { returnImmediately: true } });
  await table.stop();
  if (!('task' in sent)) throw new Error('no task');
  return sent.task.id;
}

async function start(name: string, clock = new ShiftedClock()) {
  await runtime?.stop();
  runtime = await startRuntime({ port: 0, data, agent: agent(name), clock, log: new QuietLog() });
  return wire('JSONRPC', runtime.url);
}

test("the second agent on a folder never touches the first one's task, which goes on afterwards", async () => {
  const first = await start('Agent A');
  const message = { messageId: 'm-1', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
  const { id } = taskOf(await first.send(message));
  await runtime?.stop();
  const owed = await createWithoutTurn('m-owed');
  ran.length = 0;

  // Long after the expiry of A's question.
  const later = new ShiftedClock();
  later.advance(2 * 3_600_000);
  const second = await start('Agent B', later);
  expect((await second.get(id)).error).toMatchObject({ code: -32001 });
  // B's own task is through its turn, so B has swept and recovered by now.
  await until('the question of B', async () => {
    return taskOf(await second.send({ ...message, messageId: 'm-b' })).status.state === 'TASK_STATE_INPUT_REQUIRED';
  });
  expect(ran).not.toContain('Agent A');

  const again = await start('Agent A');
  await until("the question of A's turn that was owed", async () => {
    return taskOf(await again.get(owed)).status.state === 'TASK_STATE_INPUT_REQUIRED';
  });
  expect(taskOf(await again.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const answer = { messageId: 'm-2', role: 'ROLE_USER' as const, taskId: id, parts: [{ text: 'ready' }] };
  const done = taskOf(await again.send(answer));
  expect(done).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ parts: [{ data: { word: 'ready' } }] }],
  });
});
