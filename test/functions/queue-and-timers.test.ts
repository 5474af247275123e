/** run-turn, deadline and sweep through their real middy stacks (design sections 3 and 8). */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import type { TurnMessage } from '../../core/queue-message.ts';
import { deadlineHandler } from '../../functions/deadline.ts';
import { runTurnHandler } from '../../functions/run-turn.ts';
import { sweepHandler } from '../../functions/sweep.ts';
import { fakeDeps } from '../core/wire/support.ts';
import { lambdaContext, sqsEvent, sqsRecord } from './events.ts';

const turn = (messageId: string, taskId: string, n = 1) => sqsRecord(messageId, JSON.stringify({ taskId, turn: n }));

describe('run-turn: partial batch failures', () => {
  it('runs records one by one, in order, with the time that is left', async () => {
    const seen: unknown[] = [];
    let running = 0;
    const handler = runTurnHandler(fakeDeps(), async (_deps, message, budget) => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      seen.push(message, budget.remainingMs());
      running -= 1;
    });
    const event = sqsEvent(turn('a', 't1', 1), turn('b', 't2', 3));
    expect(await handler(event, lambdaContext(840_000))).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual([{ taskId: 't1', turn: 1 }, 840_000, { taskId: 't2', turn: 3 }, 840_000]);
  });

  it('names exactly the records that must come again, and goes on with the others', async () => {
    const deps = fakeDeps();
    const done: TurnMessage[] = [];
    const handler = runTurnHandler(deps, async (_deps, message) => {
      if (message.taskId === 'busy') throw new RetryableError('THROTTLED', 'slow down');
      if (message.taskId === 'broken') throw new TypeError('bug');
      done.push(message);
    });
    const event = sqsEvent(turn('a', 'busy'), turn('b', 'fine'), turn('c', 'broken'), turn('d', 'fine', 2));
    expect(await handler(event, lambdaContext())).toEqual({
      batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'c' }],
    });
    expect(done).toEqual([
      { taskId: 'fine', turn: 1 },
      { taskId: 'fine', turn: 2 },
    ]);
    expect(deps.lines.map(({ level, fields }) => [level, fields?.taskId])).toEqual([
      ['warn', 'busy'],
      ['error', 'broken'],
    ]);
  });

  it.each([
    '',
    'hello',
    'null',
    '[]',
    '{}',
    '{"taskId":"t"}',
    '{"taskId":"","turn":1}',
    '{"taskId":1,"turn":1}',
    '{"taskId":"t","turn":0}',
    '{"taskId":"t","turn":1.5}',
    '{"taskId":"t","turn":"1"}',
  ])('a body that is not a turn is logged and acknowledged: %j', async (body) => {
    const deps = fakeDeps();
    const handler = runTurnHandler(deps, async () => {
      throw new Error('must not run');
    });
    expect(await handler(sqsEvent(sqsRecord('m', body)), lambdaContext())).toEqual({ batchItemFailures: [] });
    expect(deps.lines).toEqual([
      { level: 'error', message: 'dropped a queue message that is not a turn', fields: { messageId: 'm' } },
    ]);
  });

  it('what is not an SQS event fails as a whole and is logged', async () => {
    const deps = fakeDeps();
    await expect(runTurnHandler(deps, async () => {})({} as never, lambdaContext())).rejects.toThrow(TypeError);
    expect(deps.lines).toMatchObject([{ level: 'error', message: 'the function failed' }]);
  });
});

describe('deadline', () => {
  it('R54: the payload is only a hint: the task is looked at as a whole', async () => {
    const tasks: string[] = [];
    const handler = deadlineHandler(fakeDeps(), async (_deps, taskId) => tasks.push(taskId));
    await handler({ taskId: 't1', ask: 1, timer: 'expire' }, lambdaContext());
    await handler({ taskId: 't1', ask: 1, timer: 'expire' }, lambdaContext());
    expect(tasks).toEqual(['t1', 't1']);
  });

  it.each([null, undefined, 'x', [], {}, { taskId: '' }, { taskId: 5 }])(
    'ignores %j with a log line',
    async (event) => {
      const deps = fakeDeps();
      const handler = deadlineHandler(deps, async () => {
        throw new Error('must not run');
      });
      await expect(handler(event, lambdaContext())).resolves.toBeUndefined();
      expect(deps.lines).toEqual([{ level: 'error', message: 'ignored a timer without a task', fields: undefined }]);
    },
  );

  it('what fails is thrown on, so that the timer comes again', async () => {
    const error = new RetryableError('STORE_UNAVAILABLE', 'down');
    const deps = fakeDeps();
    const handler = deadlineHandler(deps, async () => {
      throw error;
    });
    await expect(handler({ taskId: 't' }, lambdaContext())).rejects.toBe(error);
    expect(deps.lines).toEqual([
      { level: 'error', message: 'the function failed', fields: { requestId: 'lambda-request-1', error } },
    ]);
  });
});

describe('sweep', () => {
  it('sweeps within the time that is left and says what it found, unless that is nothing', async () => {
    const deps = fakeDeps();
    const results = [
      { found: 0, failed: 0 },
      { found: 3, failed: 1 },
    ];
    const budgets: number[] = [];
    const handler = sweepHandler(deps, async (_deps, budget) => {
      budgets.push(budget.remainingMs());
      return results.shift()!;
    });
    expect(await handler({}, lambdaContext(60_000))).toEqual({ found: 0, failed: 0 });
    expect(deps.lines).toEqual([]);
    expect(await handler({}, lambdaContext(60_000))).toEqual({ found: 3, failed: 1 });
    expect(deps.lines).toEqual([{ level: 'info', message: 'swept', fields: { found: 3, failed: 1 } }]);
    expect(budgets).toEqual([60_000, 60_000]);
  });
});

describe('middy', () => {
  it('sets no early timeout: one that fires would abort every other request of the process', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    let during = -1;
    const handler = deadlineHandler(fakeDeps(), async () => {
      await Promise.resolve();
      during = timers();
    });
    await handler({ taskId: 't' }, lambdaContext(29_000));
    expect(during).toBe(before);
  });
});
