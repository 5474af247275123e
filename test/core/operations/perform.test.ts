/** An effect that comes to nothing is told and counted, never shown, and never in the way of another (design, section 3). */
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../core/effects.ts';
import { perform } from '../../../core/operations/perform.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { tinyAgent } from './tiny-agent.ts';

const EFFECTS: readonly Effect[] = [
  { kind: 'count', metric: 'QuestionsAsked' },
  { kind: 'dispatch', taskId: 't', turn: 1 },
  { kind: 'measure', metric: 'TimeToAnswer', ms: 5 },
  { kind: 'set-timer', taskId: 't', ask: 1, timer: 'expire', atMs: 100_000 },
  { kind: 'undo', taskId: 't', of: 'hold', n: 1 },
  { kind: 'poke-push', taskId: 't', configIds: ['a'] },
  { kind: 'drop-secrets', taskId: 't' },
];

/** Throws at once, as code does that has not come to its first await. */
const throws = (): never => {
  throw new Error('no');
};
const rejects = () => Promise.reject(new Error('no'));

describe('effects', () => {
  it.each([
    ['throws', throws],
    ['rejects', rejects],
  ])('a queue that %s: the rest is done, and what is lost is counted', async (_how, fails) => {
    const deps = fakeDeps({ agent: tinyAgent(), queue: { send: fails } });
    await perform(deps, EFFECTS);
    expect(deps.deadlines.timers).toHaveLength(1);
    expect(deps.store.calls).toEqual([{ op: 'dropSecrets', taskId: 't' }]);
    expect(deps.log.counted('QuestionsAsked')).toBe(1);
    expect(deps.log.counted('DispatchesLost')).toBe(2);
    expect(deps.log.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });

  it('a metric that cannot be counted: the rest is done', async () => {
    const deps = fakeDeps({
      agent: tinyAgent(),
      log: Object.assign(new QuietLog(), { count: throws, measure: throws }),
    });
    await perform(deps, EFFECTS);
    expect(deps.queue.sent.map(({ message }) => message)).toEqual([
      { taskId: 't', turn: 1 },
      { taskId: 't', undo: { of: 'hold', n: 1 } },
    ]);
    expect(deps.deadlines.timers).toHaveLength(1);
    expect(deps.log.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });
});
