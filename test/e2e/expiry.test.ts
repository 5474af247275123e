/** Nobody answers: the clock decides, not the timer (design section 5, invariant 7). Needs the local runtime's clock. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BINDINGS, wire } from './support/bindings.ts';
import { answer, question, REQUEST, say, statusText, taskOf } from './support/expense.ts';
import { isLocal, openTarget, type Target, until } from './support/target.ts';

const HOUR = 3_600_000;

describe.runIf(isLocal).each(BINDINGS)('%s', (binding) => {
  let target: Target;
  beforeEach(async () => {
    target = await openTarget();
  });
  afterEach(() => target.stop());

  const ask = async () => {
    const a2a = wire(binding, target.url);
    return { a2a, asked: taskOf(await a2a.send(say(REQUEST))) };
  };

  test('a minute before the expiry the answer is still good', async () => {
    const { a2a, asked } = await ask();
    target.local.clock.advance(24 * HOUR - 60_000);
    const done = taskOf(await a2a.send(answer(asked, { costCentre: 'CC-4410' })));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('at the expiry the task fails with a clear reason, though nobody looks', async () => {
    const { a2a, asked } = await ask();
    target.local.clock.advance(24 * HOUR);
    await until('the expiry', async () => target.local.log.counted('QuestionsExpired') === 1);
    const failed = taskOf(await a2a.get(asked.id));
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toMatch(/expired|no answer/i);
    expect(await target.local.ledger()).toEqual([]);
  });

  test('R26, R47: a late answer is refused, whether or not the timer has fired', async () => {
    const { a2a, asked } = await ask();
    target.local.clock.advance(24 * HOUR);
    const reply = await a2a.send(answer(asked, { costCentre: 'CC-4410' }));
    expect(reply.error?.reason).toBe('UNSUPPORTED_OPERATION');
    expect(taskOf(await a2a.get(asked.id)).status.state).toBe('TASK_STATE_FAILED');
    expect(await target.local.ledger()).toEqual([]);
  });

  test('a re-ask keeps the expiry of its ask', async () => {
    const { a2a, asked } = await ask();
    target.local.clock.advance(23 * HOUR);
    const again = taskOf(await a2a.send(say('engineering', { taskId: asked.id })));
    expect(question(again).expires).toBe(question(asked).expires);
    target.local.clock.advance(HOUR);
    expect(taskOf(await a2a.get(asked.id)).status.state).toBe('TASK_STATE_FAILED');
  });

  test('30 days after its end the task is gone, and its id is like any other', async () => {
    const { a2a, asked } = await ask();
    await a2a.cancel(asked.id);
    target.local.clock.advance(30 * 24 * HOUR + 60_000);
    const reply = await until('the removal', async () => {
      const found = await a2a.get(asked.id);
      return found.error && found;
    });
    expect(reply.error?.reason).toBe('TASK_NOT_FOUND');
  });
});
