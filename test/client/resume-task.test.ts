/** Detach in one process, go on in another, exactly once (issue 6, item 2). Processes share nothing but the store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connect,
  FilePendingStore,
  fromContext,
  GaveUpError,
  InvalidAnswerError,
  NotPendingError,
  type PendingStore,
  resumeTask,
  runTask,
} from '../../client/index.ts';
import { DynamoPendingStore } from '../../client/pending-dynamodb.ts';
import { REQUEST } from '../e2e/support/expense.ts';
import { openTarget, type Target } from '../e2e/support/target.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';
import { hastyClock } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';
import { colourAndSize, startSdkAgent } from './support/sdk-agent.ts';

let target: Target;
let folder: string;
let dynamo: LocalDynamo;
beforeAll(async () => {
  target = await openTarget();
  folder = await mkdtemp(join(tmpdir(), 'askback-resume-'));
  dynamo = await startDynalite();
});
afterAll(async () => {
  await target.stop();
  await dynamo.stop();
  await rm(folder, { recursive: true, force: true });
});

const details = { amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Blue Bottle' };
const open = (fetch = globalThis.fetch) => connect(target.url, { bearer: 'alice-token', fetch });

const stores: [string, () => PendingStore][] = [
  ['files', () => new FilePendingStore(folder)],
  ['DynamoDB', () => new DynamoPendingStore({ client: dynamo.documents, tableName: dynamo.tableName })],
];

describe.each(stores)('detach and resume over %s', (_name, store) => {
  const detached = async (request = REQUEST) => {
    const outcome = await runTask(await open(), request, { pending: store(), resolvers: [() => 'detach'] });
    if (outcome.kind !== 'needs-input') throw new Error(JSON.stringify(outcome));
    expect(outcome.saved).toBe(true);
    return outcome.taskId;
  };

  test('the question waits in the store, and an answer from elsewhere completes the task', async () => {
    const taskId = await detached();
    expect((await store().get(taskId))?.task).toMatchObject({
      state: 'waiting',
      agent: { name: 'Expense agent', url: target.url },
      question: { kind: 'question', name: 'cost-centre', fields: [{ options: [{ value: 'CC-4410' }, {}] }] },
      rounds: 0,
      generation: 3,
    });
    const outcome = await resumeTask(await open(), store(), taskId, { text: 'cc-4410' });
    expect(outcome).toMatchObject({ kind: 'completed', artifacts: [{ name: 'expense' }] });
    expect((await store().get(taskId))?.task).toMatchObject({ state: 'done', rounds: 1 });
    expect((await store().list()).map(({ task }) => task.taskId)).not.toContain(taskId);
    await expect(resumeTask(await open(), store(), taskId, { text: 'CC-4420' })).rejects.toMatchObject({
      name: 'NotPendingError',
      reason: 'done',
    });
  });

  test('an answer that does not fit is refused with its place, and the question stays open', async () => {
    const taskId = await detached();
    const wrong = resumeTask(await open(), store(), taskId, { answer: { costCentre: 'CC-9999' } });
    await expect(wrong).rejects.toBeInstanceOf(InvalidAnswerError);
    await expect(wrong).rejects.toMatchObject({
      errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
    });
    expect((await store().get(taskId))?.task.state).toBe('waiting');
    expect((await resumeTask(await open(), store(), taskId, { text: 'CC-4410' })).kind).toBe('completed');
  });

  test('two answers from two processes at once: one is sent, the other is told so', async () => {
    const taskId = await detached();
    const net = faultyFetch();
    const clients = await Promise.all([open(net.fetch), open(net.fetch)]);
    const results = await Promise.allSettled(
      clients.map((client, n) =>
        resumeTask(client, store(), taskId, { answer: { costCentre: n === 0 ? 'CC-4410' : 'CC-4420' } }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [lost] = results.filter((result) => result.status === 'rejected');
    expect(lost?.reason).toBeInstanceOf(NotPendingError);
    expect(net.sent.filter(({ body }) => body.includes('"costCentre"'))).toHaveLength(1);
  });

  test('a second question goes back into the store; rounds are counted across processes', async () => {
    const taskId = await detached('File my receipt');
    const next = await resumeTask(await open(), store(), taskId, { answer: details });
    expect(next).toMatchObject({ kind: 'needs-input', saved: true, question: { name: 'cost-centre' } });
    expect((await store().get(taskId))?.task).toMatchObject({ state: 'waiting', rounds: 1 });
    const again = resumeTask(await open(), store(), taskId, [fromContext({ costCentre: 'CC-4410' })], { maxRounds: 1 });
    await expect(again).rejects.toBeInstanceOf(GaveUpError);
    expect((await store().get(taskId))?.task.state).toBe('done');
  });
});

describe('a process that dies', () => {
  test('between claim and answer: the claim ends after two minutes, and the next one goes on', async () => {
    const pending = new FilePendingStore(join(folder, 'dead'));
    const outcome = await runTask(await open(), REQUEST, { pending });
    if (outcome.kind !== 'needs-input') throw new Error();
    const { taskId } = outcome;
    const stored = await pending.get(taskId);
    if (!stored) throw new Error();
    const claimedUntilMs = 1_000_000;
    await pending.write({ ...stored.task, state: 'claimed', claimedUntilMs }, stored.version);
    const at = (nowMs: number) => ({ clock: { ...hastyClock, now: () => nowMs } });
    const early = resumeTask(await open(), pending, taskId, { text: 'CC-4410' }, at(999_999));
    await expect(early).rejects.toMatchObject({ reason: 'taken' });
    const late = await resumeTask(await open(), pending, taskId, { text: 'CC-4410' }, at(1_000_000));
    expect(late.kind).toBe('completed');
  });

  test('after it noted that the agent has the answer: the same question is not answered again', async () => {
    const pending = new FilePendingStore(join(folder, 'noted'));
    const outcome = await runTask(await open(), REQUEST, { pending });
    if (outcome.kind !== 'needs-input') throw new Error();
    const stored = await pending.get(outcome.taskId);
    if (!stored) throw new Error();
    await pending.write({ ...stored.task, state: 'working' }, stored.version);
    const again = resumeTask(await open(), pending, outcome.taskId, [fromContext({ costCentre: 'CC-4410' })]);
    await expect(again).rejects.toMatchObject({ reason: 'taken' });
  });

  test('after the answer was taken: whoever comes next follows, and answers nothing twice', async () => {
    const pending = new FilePendingStore(join(folder, 'dead-later'));
    const before = (await target.local.ledger()).length;
    const outcome = await runTask(await open(), REQUEST, { pending });
    if (outcome.kind !== 'needs-input') throw new Error();
    await runTaskAnswer(outcome.taskId, outcome.question.key);
    const after = await resumeTask(await open(), pending, outcome.taskId, { text: 'CC-4420' });
    expect(after).toMatchObject({ kind: 'completed', artifacts: [{ parts: [{ data: { costCentre: 'CC-4410' } }] }] });
    expect(await target.local.ledger()).toHaveLength(before + 1);
  });

  /** The answer, sent by somebody whose claim nobody wrote down. */
  async function runTaskAnswer(taskId: string, questionId: string) {
    const client = await open();
    await client.sendMessage({
      message: {
        messageId: 'from-elsewhere',
        taskId,
        contextId: '',
        role: 1,
        parts: [
          {
            content: { $case: 'data', value: { questionId, costCentre: 'CC-4410' } },
            metadata: undefined,
            filename: '',
            mediaType: 'application/json',
          },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: undefined,
      metadata: undefined,
      tenant: '',
    });
  }
});

test('a task of another agent is not answered, whatever its id', async () => {
  const agent = await startSdkAgent(colourAndSize);
  const pending = new FilePendingStore(join(folder, 'other'));
  const outcome = await runTask(await connect(agent.url), 'Paint it', { pending });
  if (outcome.kind !== 'needs-input') throw new Error();
  const wrong = resumeTask(await open(), pending, outcome.taskId, { text: 'red' });
  await expect(wrong).rejects.toMatchObject({ reason: 'other-agent' });
  const right = await resumeTask(await connect(agent.url), pending, outcome.taskId, [
    ({ text }) => ({ text: text.includes('colour') ? 'red' : 'small' }),
  ]);
  expect(right.kind).toBe('completed');
  expect(agent.heard).toEqual(['Paint it', 'red', 'small']);
  await expect(resumeTask(await open(), pending, 'nothing', { text: 'x' })).rejects.toMatchObject({
    reason: 'unknown',
  });
  await agent.stop();
});
