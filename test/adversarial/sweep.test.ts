/** The backstop must hold when much is due at once, when some of it always fails, and when the index lags behind. */
import { describe, expect, it } from 'vitest';
import { sweep } from '../../core/operations/sweep.ts';
import { AMPLE, attacked } from './world.ts';

const overdue = async (count: number) => {
  const world = attacked(async (turn) => void (await turn.step('s', () => 1)));
  world.deps.queue.failures = count;
  for (let n = 0; n < count; n++) await world.send({ messageId: `m-${n}`, parts: [{ text: 'go' }] });
  await world.deps.clock.advance(120_000);
  world.deps.queue.sent.length = 0;
  return world;
};

describe('the sweeper (invariant 3)', () => {
  it('reaches every due task although more tasks than one page fail every time', async () => {
    const { deps } = await overdue(1_000);
    // The earliest 990 of every shard, if need be: all but one in each are poisoned.
    const good = new Set<string>();
    for (let shard = 0; shard < 8; shard++) {
      good.add((await deps.store.due(shard, deps.clock.now(), 10_000)).at(-1) ?? '');
    }
    deps.store.before = (op, taskId) => {
      if (op === 'load' && !good.has(taskId)) throw new Error('poison');
    };
    expect(await sweep(deps, AMPLE)).toEqual({ found: 1_000, failed: 992 });
    expect(new Set(deps.queue.sent.map(({ message }) => message.taskId))).toEqual(good);
  });

  it('does a backlog in one sweep although the index still lists what has been done', async () => {
    const { deps } = await overdue(900);
    const listed = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((shard) => deps.store.due(shard, deps.clock.now(), 10_000)),
    );
    deps.store.due = async (shard, _nowMs, limit) => (listed[shard] ?? []).slice(0, limit);
    expect(await sweep(deps, AMPLE)).toEqual({ found: 900, failed: 0 });
    expect(deps.queue.sent).toHaveLength(900);
  });

  it('sweeps the other shards when one does not answer, and is seen to have failed', async () => {
    const { deps } = await overdue(100);
    const due = deps.store.due.bind(deps.store);
    deps.store.due = async (shard, nowMs, limit) => {
      if (shard === 0) throw new Error('throttled');
      return due(shard, nowMs, limit);
    };
    const lost = (await due(0, deps.clock.now(), 1_000)).length;
    await expect(sweep(deps, AMPLE)).rejects.toThrow('throttled');
    expect(deps.queue.sent).toHaveLength(100 - lost);
    expect(lost).toBeGreaterThan(0);
  });
});
