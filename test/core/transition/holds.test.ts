/** Moves of holds that only a head can show: what one write does together, and what comes too late (design, section 12). */
import { describe, expect, it } from 'vitest';
import { transition } from '../../../core/transition/transition.ts';
import { moved, must, START_MS, spec, TOKEN, working } from './fixtures.ts';

const NOW = START_MS + 1_000;
const reserving = moved(working, { type: 'reserve', token: TOKEN, call: 1, name: 'seat', forMs: 3_600_000 }, NOW);
const held = moved(
  reserving,
  { type: 'acquired', token: TOKEN, call: 1, name: 'seat', n: 1, result: { ok: { seat: '12A' } } },
  NOW,
);
const ask = (expiresInMs: number, onExpire: 'fail' | 'resume') =>
  ({
    type: 'ask',
    token: TOKEN,
    call: 2,
    spec: { ...spec, expiresInMs, onExpire: { then: onExpire } },
    events: [],
  }) as const;

describe('a hold and the question under it', () => {
  it.each(['fail', 'resume'] as const)('end in one write when they end together (onExpire: %s)', (onExpire) => {
    const asking = moved(held, ask(3_600_000, onExpire), NOW);
    const expired = moved(asking, { type: 'do-due' }, NOW + 3_600_000);
    expect(expired.ask).toBeUndefined();
    expect(expired.holds).toMatchObject([{ n: 1, state: 'releasing', undo: { why: 'question', attempts: 0 } }]);
  });

  it('may not be the other way round', () => {
    expect(() => transition(held, ask(3_599_999, 'fail'), NOW)).toThrow(
      '"cost-centre" expires at 2026-11-30T13:00:00.999Z, before the hold "seat", which is kept until 2026-11-30T13:00:01.000Z',
    );
  });
});

describe('an attempt to undo', () => {
  const canceled = moved(reserving, { type: 'cancel' }, NOW);
  const undone = { type: 'undone', of: 'hold', n: 1, round: 1 } as const;

  it('counts for the round that it found, and for no later one', () => {
    const once = must(transition(canceled, undone, NOW + 500));
    expect(once.head.holds).toMatchObject([{ state: 'releasing', undo: { round: 2, afterMs: NOW + 120_500 } }]);
    expect(once.effects).toEqual([{ kind: 'undo', taskId: working.taskId, of: 'hold', n: 1, delayMs: 120_000 }]);
    const failed = { type: 'undo-failed', of: 'hold', n: 1, attempts: 0 } as const;
    expect(transition(once.head, undone, NOW + 130_000)).toEqual({ ok: false, rejection: 'unchanged' });
    expect(transition(once.head, { ...failed, round: 1 }, NOW + 130_000)).toEqual({
      ok: false,
      rejection: 'unchanged',
    });
    const twice = moved(once.head, { ...undone, round: 2 }, NOW + 130_000);
    expect(twice.holds).toBeUndefined();
    expect(twice.dueMs).toBe(NOW + 2_592_000_000);
  });

  it('that failed in two deliveries at once is one attempt', () => {
    const failed = { type: 'undo-failed', of: 'hold', n: 1, round: 1, attempts: 0 } as const;
    const once = moved(canceled, failed, NOW);
    expect(once.holds?.[0]?.undo).toMatchObject({ attempts: 1, afterMs: NOW + 5_000, dueMs: NOW + 125_000 });
    expect(transition(once, failed, NOW)).toEqual({ ok: false, rejection: 'unchanged' });
  });
});

describe('what comes too late', () => {
  const late = { type: 'late-hold', call: 1, name: 'seat', n: 1, result: { ok: { seat: '12A' } } } as const;

  it('is given back, unless it is held or confirmed under the same key', () => {
    const confirmed = moved(held, { type: 'confirm', token: TOKEN, call: 3, name: 'seat', n: 1 }, NOW);
    expect(confirmed.confirmed).toEqual([1]);
    const ended = moved(confirmed, { type: 'end', token: TOKEN, state: 'TASK_STATE_COMPLETED', events: [] }, NOW);
    for (const head of [held, confirmed, ended]) {
      expect(transition(head, late, NOW)).toEqual({ ok: false, rejection: 'unchanged' });
    }
    const gone = moved(moved(held, { type: 'cancel' }, NOW), { type: 'undone', of: 'hold', n: 1, round: 1 }, NOW);
    expect(gone.holds).toBeUndefined();
    expect(moved(gone, late, NOW).holds).toMatchObject([{ n: 1, state: 'releasing', undo: { why: 'late' } }]);
  });

  it('is not given back for a hold that its author has let go after confirming it, but once more', () => {
    const confirmed = moved(held, { type: 'confirm', token: TOKEN, call: 3, name: 'seat', n: 1 }, NOW);
    const released = moved(
      confirmed,
      { type: 'release', token: TOKEN, call: 4, name: 'seat', n: 1, confirmed: { value: { seat: '12A' } } },
      NOW,
    );
    expect(released.confirmed).toBeUndefined();
    expect(moved(released, late, NOW).holds).toMatchObject([{ undo: { round: 2, why: 'late' } }]);
  });
});
