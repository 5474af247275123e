/** Many processes and notifications at once, on an agent that would take every answer: one goes out (issue 6, item 2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connect,
  FilePendingStore,
  NotPendingError,
  type PendingStore,
  resumeTask,
  runTask,
  webhookHandler,
} from '../../client/index.ts';
import { DynamoPendingStore } from '../../client/pending-dynamodb.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';
import { hastyClock, startAgent } from './support/agents.ts';
import { type Script, startSdkAgent } from './support/sdk-agent.ts';

let folder: string;
let dynamo: LocalDynamo;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-race-'));
  dynamo = await startDynalite();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await dynamo.stop();
});

/** Asks once; every further message would be a second answer. */
const once: Script = (said, n) =>
  n === 1
    ? { state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'Which?' }] }
    : { state: 'TASK_STATE_COMPLETED', parts: [{ text: `took ${said}` }] };

const stores: [string, () => PendingStore][] = [
  ['files', () => new FilePendingStore(folder)],
  ['DynamoDB', () => new DynamoPendingStore({ client: dynamo.documents, tableName: dynamo.tableName, scope: 'race' })],
];

test.each(stores)(
  'eight answers and as many notifications over %s, ten times: one answer each',
  async (_name, store) => {
    const agent = await startSdkAgent(once);
    const client = await connect(agent.url);
    const notified = webhookHandler({
      verify: { token: 'tok' },
      pending: store(),
      onWake: async ({ task }) => {
        await resumeTask(client, store(), task.taskId, [() => ({ text: 'by webhook' })], { clock: hastyClock }).catch(
          (error: unknown) => {
            if (!(error instanceof NotPendingError)) throw error;
          },
        );
      },
    });
    for (let round = 0; round < 10; round += 1) {
      agent.heard.length = 0;
      const left = await runTask(client, `Go ${round}`, { pending: store() });
      if (left.kind !== 'needs-input') throw new Error(left.kind);
      const event = JSON.stringify({ task: { id: left.taskId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
      const headers = { 'X-A2A-Notification-Token': 'tok' };
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => [
          resumeTask(client, store(), left.taskId, { text: `answer ${n}` }, { clock: hastyClock }),
          notified(new Request('http://localhost/', { method: 'POST', body: event, headers })),
        ]).flat(),
      );
      const failed = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      expect(failed.filter((error) => !(error instanceof NotPendingError))).toEqual([]);
      expect(agent.heard).toHaveLength(2);
      expect((await store().get(left.taskId))?.task.state).toBe('done');
    }
    await agent.stop();
  },
);

test('two runs of one message that answer differently at once: both end as the first answer has it', async () => {
  const asked: string[] = [];
  const agent = await startAgent({
    async run(turn) {
      const colour = await turn.ask('colour', { text: 'Which?', schema: { enum: ['red', 'blue'] } });
      await turn.artifact({ name: 'paint', text: String(colour) });
    },
  });
  let both: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    both = resolve;
  });
  const run = async (value: string) =>
    runTask(
      await connect(agent.url),
      { messageId: 'once', parts: [{ text: 'Paint' }] },
      {
        clock: hastyClock,
        resolvers: [
          async () => {
            asked.push(value);
            if (asked.length === 2) both();
            await ready;
            return { answer: { value } };
          },
        ],
      },
    );
  const outcomes = await Promise.all([run('red'), run('blue')]);
  const [one, other] = outcomes.map((outcome) => (outcome.kind === 'completed' ? outcome : undefined));
  expect(asked.sort()).toEqual(['blue', 'red']);
  expect(one?.artifacts[0]?.parts[0]?.text).toMatch(/^(red|blue)$/);
  expect(other?.artifacts).toEqual(one?.artifacts);
  expect(other?.task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  await agent.stop();
});
