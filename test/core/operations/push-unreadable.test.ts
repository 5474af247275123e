/** Events that cannot be made for a receiver any more: for it that is a failure like its own, and ends as those do. */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { deliverPush } from '../../../core/operations/deliver-push.ts';
import { HOOK, pushWorld } from './push-world.ts';
import { tinyAgent } from './tiny-agent.ts';
import { AMPLE, request } from './world.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A question of more than 1 KB, whose message is a blob of its own. */
const longQuestion = () => tinyAgent({ spec: { text: 'Which cost centre? '.repeat(100) } });

/** A task whose question is about to be told of, and cannot be read. */
async function withoutQuestion(protocol?: '0.3') {
  const world = pushWorld(longQuestion());
  const { id } = await world.send(request, { id: 'w', url: HOOK, ...(protocol && { protocol }) });
  await world.turns();
  world.deps.store.blob = () => Promise.resolve(undefined);
  return { ...world, id };
}

describe('an event that cannot be read (invariant 9: retries have a limit)', () => {
  it.each([
    ['1.0', undefined, ['1 SUBMITTED', '2 WORKING']],
    ['0.3', '0.3', []],
  ] as const)('is a failed delivery, and what comes before it is told (%s)', async (_, protocol, before) => {
    const { settle, told, config, deps, id } = await withoutQuestion(protocol);
    await settle();
    expect(told()).toEqual(before);
    expect(config('w')).toMatchObject({ failing: { attempts: 1, why: 'its event cannot be read' } });
    expect(config('w')?.lease).toBeUndefined();
    expect(deps.log.lines).toContainEqual({
      level: 'error',
      message: 'an event cannot be read for a receiver',
      fields: {
        taskId: id,
        configId: 'w',
        error: expect.objectContaining({ message: expect.stringContaining('blob') }),
      },
    });
  });

  it('is tried again later and later, and given up after a day', async () => {
    const { settle, push, deps, config, id } = await withoutQuestion();
    await settle();
    let tries = 1;
    for (; tries < 200 && push.queue.nextReadyAtMs !== undefined; tries += 1) {
      await deps.clock.advance(push.queue.nextReadyAtMs - deps.clock.now());
      await settle();
    }
    const { gaveUpAtMs = 0, failing } = config('w')!;
    expect(gaveUpAtMs - (failing?.sinceMs ?? 0)).toBeGreaterThanOrEqual(DAY_MS);
    expect(gaveUpAtMs - (failing?.sinceMs ?? 0)).toBeLessThan(DAY_MS + 15 * MINUTE_MS);
    expect(failing?.attempts).toBe(tries);
    expect(tries).toBeGreaterThan(90);
    expect(push.queue.buried).toEqual([{ taskId: id, configId: 'w', again: true }]);
    expect(deps.store.peek(id)?.push?.gaveUp).toEqual(['w']);
  });

  it('and log entries that are lost are the same', async () => {
    const { settle, config, deps } = await withoutQuestion();
    const { load } = deps.store;
    deps.store.load = async (taskId) => {
      const head = await load.call(deps.store, taskId);
      return head && { ...head, log: head.log.slice(-1) };
    };
    await settle();
    expect(config('w')).toMatchObject({ cursor: 0, failing: { attempts: 1, why: 'its event cannot be read' } });
  });

  it('but a store that does not answer fails nobody: the queue delivers again', async () => {
    const { deps, config, id } = await withoutQuestion();
    deps.store.blob = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'down'));
    await expect(deliverPush(deps, { taskId: id, configId: 'w' }, AMPLE)).rejects.toThrow('down');
    expect(config('w')).toMatchObject({ cursor: 2 });
    expect(config('w')?.failing).toBeUndefined();
  });
});
