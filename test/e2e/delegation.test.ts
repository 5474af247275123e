/**
 * A question that goes up and its answer that comes down, over HTTP: caller, orchestrator and sub-agent, each killed in
 * turn with SIGKILL and started again (design 12, S24 to S27, R68, R71).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import expenseAgent from '../../examples/expense-agent/agent.ts';
import financeAssistant from '../../examples/finance-assistant/agent.ts';
import { startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { wire } from './support/bindings.ts';
import { answer, question, REQUEST, say, statusText, taskOf } from './support/expense.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import { isLocal, until } from './support/target.ts';
import { ThreeProcesses } from './support/three-processes.ts';

describe.runIf(isLocal)('caller, finance assistant and expense agent', { timeout: 120_000 }, () => {
  let three: ThreeProcesses;
  beforeEach(async () => {
    three = await ThreeProcesses.make();
    await three.start('expenses', 'finance');
  });
  afterEach(() => three.stop());

  const finance = () => wire('JSONRPC', three.url('finance'));
  const expenses = () => wire('JSONRPC', three.url('expenses'));
  const get = async (id: string) => taskOf(await finance().get(id));
  const ended = (id: string) =>
    until(
      `${id} to complete`,
      async () => {
        const task = await get(id);
        return /COMPLETED|FAILED|REJECTED|CANCELED/.test(task.status.state) && task;
      },
      60_000,
    );
  const expenseIds = (task: { artifacts?: readonly { name?: string; parts: readonly { data?: unknown }[] }[] }) =>
    (task.artifacts ?? []).map(({ name, parts }) => [name, parts[0]?.data]);

  test('the question is the orchestrator’s own: its words, its schema, nothing of the sub-agent (S25, R68)', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(asked)).toBe('Which cost centre should finance charge the taxi to?');
    expect(question(asked)).toMatchObject({
      answerSchema: { required: ['chargeTo'] },
      options: [
        { value: 'CC-4410', label: 'Engineering (CC-4410)' },
        { value: 'CC-4420', label: 'Sales (CC-4420)' },
      ],
    });
    const { tasks } = await listed(three.url('expenses'));
    const [below] = tasks;
    expect(below?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const theirs = (below?.status.message?.parts[1]?.data ?? {}) as { questionId: string; expires: string };
    expect(JSON.stringify(asked)).not.toContain(below?.id ?? '');
    expect(JSON.stringify(asked)).not.toContain(theirs.questionId);
    // S27: shorter than the sub-agent's, by a margin of 5 % of a day.
    const marginMs = Date.parse(theirs.expires) - Date.parse(question(asked).expires);
    expect(Math.round(marginMs / 60_000)).toBe(72);

    const done = taskOf(await finance().send(answer(asked, { chargeTo: 'CC-4410' })));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(expenseIds(done)).toEqual([['filed-expense', { expenseId: 'EXP-000001' }]]);
    expect(await three.ledger()).toMatchObject([{ costCentre: 'CC-4410', amount: 42 }]);
  });

  test('what the orchestrator knows it answers itself: nobody is asked (S24)', async () => {
    const done = taskOf(
      await wire('JSONRPC', three.url('finance'), { Authorization: 'Bearer bob-token' }).send(say(REQUEST)),
    );
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.history?.map(({ role }) => role)).toEqual(['ROLE_USER']);
    expect(await three.ledger()).toMatchObject([{ costCentre: 'CC-4420' }]);
  });

  test('an answer that the orchestrator’s schema refuses never goes down (S26)', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    const again = taskOf(await finance().send(answer(asked, { chargeTo: 'travel' })));
    expect(question(again)).toMatchObject({ attempt: 2, errors: [{ pointer: '/chargeTo' }] });
    const { tasks } = await listed(three.url('expenses'));
    expect(tasks[0]?.status.message?.parts[1]?.data).toMatchObject({ attempt: 1 });
  });

  test('two questions in a row: the task completes only when the sub-task has (R71)', async () => {
    const asked = taskOf(await finance().send(say('File my receipt')));
    expect(statusText(asked)).toContain('Finance could not read all of your receipt. Please give: amount');
    const details = { amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Taxi Weber' };
    const next = taskOf(await finance().send(answer(asked, details)));
    expect(statusText(next)).toContain('Which cost centre should finance charge');
    expect(await three.ledger()).toEqual([]);
    const done = taskOf(await finance().send(answer(next, { chargeTo: 'CC-4420' })));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await three.ledger()).toMatchObject([{ ...details, costCentre: 'CC-4420' }]);
  });

  test('the caller is killed while it waits, and begins again with the same message: one task, one expense', async () => {
    const request = say(REQUEST);
    expect(await three.call(request, 400)).toBeUndefined();
    const asked = await three.call(request);
    if (!asked) throw new Error('no task');
    const chosen = answer(asked, { chargeTo: 'CC-4410' });
    await three.call(chosen, 600);
    const done = await three.call(chosen);
    expect(await ended(done?.id ?? '')).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(await three.ledger()).toHaveLength(1);
  });

  test('the sub-agent is down when the answer comes: it is sent down when it is back, once', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    await three.kill('expenses');
    await finance().send(answer(asked, { chargeTo: 'CC-4420' }), { returnImmediately: true });
    const failed = new RegExp(
      `^error: the agent failed: .*\\n.*attempt 1 of 5, next try in 5 s, task ${asked.id}`,
      'm',
    );
    await until('an attempt to fail', async () => failed.test(three.printed('finance')));
    await three.start('expenses');
    const done = await ended(asked.id);
    expect(expenseIds(done)).toEqual([['filed-expense', { expenseId: 'EXP-000001' }]]);
    expect(await three.ledger()).toMatchObject([{ costCentre: 'CC-4420' }]);
  });

  test('the sub-agent is killed right after each message it got, and goes on when it is back', async () => {
    const { id } = taskOf(await finance().send(say(REQUEST), { returnImmediately: true }));
    await three.kill('expenses');
    const asked = await later('expenses', id, 'TASK_STATE_INPUT_REQUIRED');
    await three.start('expenses');
    await finance().send(answer(asked, { chargeTo: 'CC-4410' }), { returnImmediately: true });
    await three.kill('expenses');
    expect(expenseIds(await later('expenses', id, 'TASK_STATE_COMPLETED'))).toEqual([
      ['filed-expense', { expenseId: 'EXP-000001' }],
    ]);
    expect(await three.ledger()).toHaveLength(1);
  });

  test('the orchestrator is killed between question and answer: the task is as it was, and goes on', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    await three.kill('finance');
    await three.start('finance');
    expect(await get(asked.id)).toEqual(asked);
    const done = taskOf(await finance().send(answer(asked, { chargeTo: 'CC-4410' })));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await three.ledger()).toHaveLength(1);
  });

  test('the orchestrator is killed right after each message it accepted: nothing is lost, nothing done twice', async () => {
    for (const delayMs of [0, 15, 60]) {
      const { id } = taskOf(await finance().send(say(REQUEST), { returnImmediately: true }));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await three.kill('finance');
      const asked = await later('finance', id, 'TASK_STATE_INPUT_REQUIRED');
      await three.start('finance');
      await finance().send(answer(asked, { chargeTo: 'CC-4410' }), { returnImmediately: true });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await three.kill('finance');
      expect(expenseIds(await later('finance', id, 'TASK_STATE_COMPLETED'))).toHaveLength(1);
      await three.start('finance');
    }
    expect(await three.ledger()).toHaveLength(3);
    // No orphans: three requests made three sub-tasks.
    expect((await listed(three.url('expenses'))).tasks.map(({ status }) => status.state)).toEqual([
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
    ]);
  });

  test('cancel goes down: the sub-task is canceled too', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    expect(taskOf(await finance().cancel(asked.id)).status.state).toBe('TASK_STATE_CANCELED');
    await until('the sub-task to be canceled', async () => {
      const { tasks } = await listed(three.url('expenses'));
      return tasks[0]?.status.state === 'TASK_STATE_CANCELED';
    });
  });

  test('cancel while the sub-agent is down goes down when it is back', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    await three.kill('expenses');
    await finance().cancel(asked.id);
    await three.start('expenses');
    await until(
      'the sub-task to be canceled',
      async () => {
        const { tasks } = await listed(three.url('expenses'));
        return tasks[0]?.status.state === 'TASK_STATE_CANCELED';
      },
      60_000,
    );
  });

  test('a sub-task that ends by itself is told: canceled below, failed above', async () => {
    const asked = taskOf(await finance().send(say(REQUEST)));
    const [below] = (await listed(three.url('expenses'))).tasks;
    await expenses().cancel(below?.id ?? '');
    const late = taskOf(await finance().send(answer(asked, { chargeTo: 'CC-4410' })));
    expect(late.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(late)).toContain('the sub-task "filing" was canceled');
  });

  /** A later start of one of them in this process, where the time that leases and retries need can pass at once. */
  async function later(which: 'finance' | 'expenses', id: string, state: string) {
    const clock = new ShiftedClock();
    const env = { EXPENSE_AGENT_URL: three.url('expenses') };
    const runtime = await startRuntime({
      port: three.port(which),
      data: three.data(which),
      env,
      agent: which === 'finance' ? financeAssistant : expenseAgent,
      clock,
      log: new QuietLog(),
    });
    try {
      return await until(
        `${id} to be ${state}`,
        async () => {
          const task = await get(id);
          if (task.status.state === state) return task;
          clock.advance(10_000);
          return undefined;
        },
        60_000,
      );
    } finally {
      await runtime.stop();
    }
  }
});

async function listed(url: string) {
  const response = await fetch(`${url}/tasks`, { headers: { 'A2A-Version': '1.0' } });
  return (await response.json()) as {
    readonly tasks: readonly ReturnType<typeof taskOf>[];
  };
}
