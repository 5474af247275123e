import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import type { PushPoke } from '../../core/push/ports.ts';
import { deliverPushHandler } from '../../functions/deliver-push.ts';
import { fakeDeps } from '../core/wire/support.ts';
import { lambdaContext, sqsEvent, sqsRecord } from './events.ts';

const record = (messageId: string, taskId: string, configId = 'w', more = {}) =>
  sqsRecord(messageId, JSON.stringify({ taskId, configId, ...more }));

describe('deliver-push', () => {
  it('delivers records side by side: one that is slow keeps nobody waiting', async () => {
    const started: PushPoke[] = [];
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = deliverPushHandler(fakeDeps(), async (_deps, poke, budget) => {
      expect(budget.remainingMs()).toBe(45_000);
      started.push(poke);
      if (started.length === 3) release();
      await slow;
    });
    const event = sqsEvent(record('a', 't1'), record('b', 't2', 'x', { again: true }), record('c', 't1', 'y'));
    expect(await handler(event, lambdaContext(45_000))).toEqual({ batchItemFailures: [] });
    expect(started).toEqual([
      { taskId: 't1', configId: 'w' },
      { taskId: 't2', configId: 'x', again: true },
      { taskId: 't1', configId: 'y' },
    ]);
  });

  it('names exactly the records that must come again', async () => {
    const deps = fakeDeps();
    const handler = deliverPushHandler(deps, async (_deps, { taskId }) => {
      if (taskId === 'busy') throw new RetryableError('THROTTLED', 'slow down');
      if (taskId === 'broken') throw new TypeError('bug');
    });
    const event = sqsEvent(record('a', 'busy'), record('b', 'fine'), record('c', 'broken'));
    expect(await handler(event, lambdaContext())).toEqual({
      batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'c' }],
    });
    expect(deps.lines.map(({ level, fields }) => [level, fields?.taskId])).toEqual([
      ['warn', 'busy'],
      ['error', 'broken'],
    ]);
  });

  it.each(['', 'null', '[]', '{}', '{"taskId":"t"}', '{"taskId":"t","configId":""}', '{"taskId":1,"configId":"w"}'])(
    'a body that is not a poke is logged and acknowledged: %j',
    async (body) => {
      const deps = fakeDeps();
      const handler = deliverPushHandler(deps, async () => {
        throw new Error('must not run');
      });
      expect(await handler(sqsEvent(sqsRecord('m', body)), lambdaContext())).toEqual({ batchItemFailures: [] });
      expect(deps.lines).toEqual([
        { level: 'error', message: 'dropped a queue message that is not a poke', fields: { messageId: 'm' } },
      ]);
    },
  );
});
