/** The loop against the expense agent in the local runtime: issue 6, items 1 and 3. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  askHuman,
  connect,
  fromContext,
  fromPolicy,
  GaveUpError,
  type OpenQuestion,
  type Outcome,
  runTask,
  type TaskUpdate,
} from '../../client/index.ts';
import { REQUEST } from '../e2e/support/expense.ts';
import { openTarget, type Target, until } from '../e2e/support/target.ts';
import { hastyClock } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';

const HOUR = 3_600_000;
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

function completed(outcome: Outcome) {
  if (outcome.kind !== 'completed') throw new Error(`expected completed, got ${JSON.stringify(outcome)}`);
  return outcome.artifacts[0]?.parts[0]?.data;
}

describe.each(BINDINGS)('the loop on the expense agent (%s)', (binding) => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.stop());
  const open = (fetch?: typeof globalThis.fetch) =>
    connect(target.url, { headers: target.as('alice'), binding, ...(fetch ? { fetch } : {}) });

  test('answers from the context and completes with the artifacts', async () => {
    const questions: OpenQuestion[] = [];
    const updates: TaskUpdate[] = [];
    const outcome = await runTask(await open(), REQUEST, {
      resolvers: [fromContext({ costCentre: 'CC-4410', other: 1 })],
      onQuestion: (question) => questions.push(question),
      onUpdate: (update) => updates.push(update),
    });
    expect(completed(outcome)).toMatchObject({ amount: 42, currency: 'EUR', costCentre: 'CC-4410' });
    expect(questions).toMatchObject([
      {
        kind: 'question',
        agent: { name: 'Expense agent', url: target.url },
        name: 'cost-centre',
        text: 'Which cost centre should this expense be charged to?',
        attempt: 1,
        maxAttempts: 3,
        allowOther: false,
      },
    ]);
    expect(updates.length).toBeGreaterThan(3);
  });

  test('asks the next resolver when one passes or says what the question refuses; nothing wrong is sent', async () => {
    const asked: string[] = [];
    const net = faultyFetch();
    const outcome = await runTask(await open(net.fetch), REQUEST, {
      resolvers: [
        () => 'pass',
        () => ({ answer: { costCentre: 'CC-9999' } }),
        fromPolicy([{ question: 'costCentre', answer: 'engineering' }]),
        askHuman(({ text }, { errors }) => {
          asked.push(`${text} ${errors.map(({ pointer, message }) => `${pointer}: ${message}`).join()}`.trim());
          return { text: errors.length > 0 ? 'cc-4420' : 'engineering' };
        }),
      ],
    });
    expect(completed(outcome)).toMatchObject({ costCentre: 'CC-4420' });
    expect(asked).toEqual([
      'Which cost centre should this expense be charged to?',
      'Which cost centre should this expense be charged to? /costCentre: expected one of CC-4410, CC-4420',
    ]);
    const answers = net.sent.filter(({ body }) => body.includes('taskId') && body.includes('parts'));
    expect(answers).toHaveLength(1);
    expect(answers[0]?.body).toContain('"costCentre":"CC-4420"');
    expect(JSON.stringify(net.sent)).not.toContain('CC-9999');
  });

  test('the worked example with both rounds: collects the details, then the cost centre', async () => {
    const outcome = await runTask(await open(), 'File my receipt', {
      resolvers: [
        fromContext({ amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Blue Bottle' }),
        fromPolicy([{ agent: target.url, option: 'CC-4420' }]),
      ],
    });
    expect(completed(outcome)).toMatchObject({ amount: 12.5, vendor: 'Blue Bottle', costCentre: 'CC-4420' });
  });

  test('without an answer: needs-input, with question and expiry and no artifacts', async () => {
    const outcome = await runTask(await open(), REQUEST);
    expect(outcome).toMatchObject({
      kind: 'needs-input',
      saved: false,
      question: { kind: 'question', questionId: expect.stringMatching(/^q-.*-1$/) },
    });
    if (outcome.kind !== 'needs-input') throw new Error();
    expect(outcome.expiresAtMs).toBeGreaterThan(Date.now() + 23 * HOUR);
    expect(outcome).not.toHaveProperty('artifacts');
    expect(outcome).not.toHaveProperty('task');
  });

  test('a decline ends the task as declined', async () => {
    const outcome = await runTask(await open(), REQUEST, {
      resolvers: [fromPolicy([{ question: 'costCentre', decline: 'not my expense' }])],
    });
    expect(outcome).toMatchObject({ kind: 'declined', task: { status: { state: 'TASK_STATE_REJECTED' } } });
  });

  test('a task that is canceled while a person thinks: canceled, and no answer changes it', async () => {
    const client = await open();
    const outcome = await runTask(client, REQUEST, {
      clock: hastyClock,
      resolvers: [
        askHuman(async ({ taskId }) => {
          await client.cancelTask({ id: taskId, tenant: '', metadata: undefined });
          return { text: 'CC-4410' };
        }),
      ],
    });
    expect(outcome).toMatchObject({ kind: 'canceled' });
  });

  test('gives up after maxRounds: cancels the task and throws', async () => {
    const error = await runTask(await open(), 'File my receipt', {
      maxRounds: 1,
      resolvers: [fromContext({ amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Blue Bottle' })],
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GaveUpError);
    expect(error).toMatchObject({ rounds: 1, canceled: true, question: { name: 'cost-centre' } });
  });

  test('a lost response to the answer: the same message again, and one answer', async () => {
    const before = (await target.local.ledger()).length;
    const net = faultyFetch();
    net.lose('"costCentre"');
    const outcome = await runTask(await open(net.fetch), REQUEST, {
      clock: hastyClock,
      resolvers: [fromContext({ costCentre: 'CC-4410' })],
    });
    completed(outcome);
    const answers = net.sent.filter(({ body }) => body.includes('"costCentre"'));
    const ids = answers.map(({ body }) => /"messageId":"(a-[\w-]{32})"/.exec(body)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toBeDefined();
    expect(await target.local.ledger()).toHaveLength(before + 1);
    if (outcome.kind !== 'completed') throw new Error();
    expect(outcome.task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  });

  test('an answer whose stream ends without a word was an answer all the same, and is not given twice', async () => {
    const net = faultyFetch();
    net.empty('"costCentre"');
    let asked = 0;
    const outcome = await runTask(await open(net.fetch), REQUEST, {
      clock: hastyClock,
      resolvers: [
        () => {
          asked += 1;
          return { answer: { costCentre: 'CC-4410' } };
        },
      ],
    });
    completed(outcome);
    expect(asked).toBe(1);
    expect(net.sent.filter(({ body }) => body.includes('"costCentre"'))).toHaveLength(1);
  });

  test('what a callback throws comes out as it is', async () => {
    const net = faultyFetch();
    const run = runTask(await open(net.fetch), REQUEST, {
      onUpdate: () => {
        throw new RangeError('mine');
      },
    });
    await expect(run).rejects.toThrow(RangeError);
    expect(net.sent.filter(({ body }) => body.includes('taxi receipt'))).toHaveLength(1);
  });

  test('a lost response to the first message: the same message again, and one task', async () => {
    const before = (await target.local.ledger()).length;
    const net = faultyFetch();
    net.lose('taxi receipt', 2);
    const outcome = await runTask(await open(net.fetch), REQUEST, {
      clock: hastyClock,
      resolvers: [fromContext({ costCentre: 'CC-4410' })],
    });
    completed(outcome);
    expect(net.sent.filter(({ body }) => body.includes('taxi receipt'))).toHaveLength(3);
    expect(await target.local.ledger()).toHaveLength(before + 1);
  });

  test('an aborted run rejects with the reason, and the task goes on waiting', async () => {
    const abort = new AbortController();
    let taskId = '';
    const client = await open();
    const run = runTask(client, REQUEST, {
      signal: abort.signal,
      resolvers: [
        (question) => {
          taskId = question.taskId;
          abort.abort(new Error('enough'));
          return new Promise(() => {});
        },
      ],
    });
    await expect(run).rejects.toThrow('enough');
    const task = await client.getTask({ id: taskId, tenant: '', historyLength: 0 });
    expect(task.status?.state).toBe(6);
  });
});

describe('a question that nobody answers in time (design 5, invariant 7)', () => {
  let target: Target;
  beforeEach(async () => {
    target = await openTarget();
  });
  afterEach(() => target.stop());

  test('an answer that comes too late: expired, with the agent’s words', async () => {
    const outcome = await runTask(await connect(target.url), REQUEST, {
      clock: hastyClock,
      resolvers: [
        async () => {
          target.local.clock.advance(24 * HOUR);
          await until('the expiry', async () => target.local.log.counted('QuestionsExpired') === 1);
          return { answer: { costCentre: 'CC-4410' } };
        },
      ],
    });
    expect(outcome).toMatchObject({
      kind: 'expired',
      reason: 'QUESTION_EXPIRED',
      task: { status: { state: 'TASK_STATE_FAILED' } },
    });
    expect(await target.local.ledger()).toEqual([]);
  });
});
