/**
 * Time on both sides of a relayed question, each by its own clock: whichever question expires first, both tasks end, and
 * neither says of the other what is not so (design 12, "expiry going up").
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import expenseAgent from '../../examples/expense-agent/agent.ts';
import { createFinanceAssistant } from '../../examples/finance-assistant/agent.ts';
import { remoteAgent } from '../../agent/index.ts';
import type { Task } from '../../core/message.ts';
import { type Caller, connect } from '../../local/official-client.ts';
import { answer, REQUEST, say, statusText } from './support/expense.ts';
import { Player } from './support/orchestra.ts';
import { isLocal, until } from './support/target.ts';

const HOUR_MS = 3_600_000;
const nobody = { costCentreOf: async () => undefined, nameOf: () => undefined };

describe.runIf(isLocal)('a relayed question that nobody answers in time', { timeout: 60_000 }, () => {
  let expenses: Player;
  let finance: Player;
  let above: Caller;
  let below: Caller;
  let asked: Task;
  let subTask: Task;
  let cancels: number;

  beforeEach(async () => {
    expenses = await Player.start(expenseAgent);
    const { url } = expenses;
    cancels = 0;
    const counted: typeof fetch = (input, init) => {
      if (String(init?.body).includes('"CancelTask"')) cancels++;
      return fetch(input, init);
    };
    finance = await Player.start(() =>
      createFinanceAssistant({ expenses: remoteAgent(url, { fetch: counted }), staff: nobody }),
    );
    above = await connect(finance.url, 'JSONRPC');
    below = await connect(url, 'JSONRPC');
    asked = await above.send(say(REQUEST));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    [subTask] = (await below.list()).tasks as [Task];
  });
  afterEach(async () => {
    await finance.stop();
    await expenses.stop();
  });

  const state = async (caller: Caller, { id }: Task) => (await caller.get(id)).status.state.replace('TASK_STATE_', '');

  test('expires above first, as it always does: failed above, canceled below', async () => {
    // 24 hours less 5 %.
    finance.clock.advance(22.8 * HOUR_MS - 60_000);
    expect(await state(above, asked)).toBe('INPUT_REQUIRED');
    finance.clock.advance(120_000);
    expect(await state(above, asked)).toBe('FAILED');
    expect(statusText(await above.get(asked.id))).toMatch(/^No answer to "filing" arrived before it expired at /);
    await until('the sub-task to be canceled', async () => (await state(below, subTask)) === 'CANCELED');
  });

  test('expires below first, where clocks differ: the late answer is told, both have failed, nothing is canceled', async () => {
    expenses.clock.advance(25 * HOUR_MS);
    expect(await state(below, subTask)).toBe('FAILED');
    // Above nobody knows yet, and the question is answerable until it ends.
    expect(await state(above, asked)).toBe('INPUT_REQUIRED');
    const done = await above.send(answer(asked, { chargeTo: 'CC-4410' }));
    expect(done.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(done)).toBe('the sub-task "filing" failed');
    expect(await state(below, subTask)).toBe('FAILED');
  });

  test('expires below and then above: both have failed, and what has ended is not canceled any more', async () => {
    expenses.clock.advance(25 * HOUR_MS);
    expect(await state(below, subTask)).toBe('FAILED');
    finance.clock.advance(25 * HOUR_MS);
    expect(await state(above, asked)).toBe('FAILED');
    await until('the cancel to arrive', async () => cancels === 1);
    expect(await state(below, subTask)).toBe('FAILED');
    // It would be sent again by now, had it not been taken as done.
    finance.clock.advance(130_000);
    await above.get(asked.id);
    expect(cancels).toBe(1);
    expect(finance.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('is expired by nobody but time: the orchestrator was down for a day, and tells it when it is back', async () => {
    await finance.pause();
    finance.clock.advance(23 * HOUR_MS);
    await finance.resume();
    expect(await state(above, asked)).toBe('FAILED');
    await until('the sub-task to be canceled', async () => (await state(below, subTask)) === 'CANCELED');
  });

  test('the sub-agent was down when it expired above: it is canceled below when it is back', async () => {
    await expenses.pause();
    finance.clock.advance(23 * HOUR_MS);
    expect(await state(above, asked)).toBe('FAILED');
    await until('a cancel to fail', async () =>
      finance.log.lines.some(({ message }) => message === 'what a task had begun could not be undone'),
    );
    await expenses.resume();
    finance.clock.advance(10_000);
    await until('the sub-task to be canceled', async () => (await state(below, subTask)) === 'CANCELED');
  });
});
