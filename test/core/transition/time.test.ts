/** What time writes, in literal values: expiry, retries with growing delay, turns that are sent again. */
import { describe, expect, it } from 'vitest';
import { transition } from '../../../core/transition/transition.ts';
import { asking, COMMANDS, claimOf, moved, must, openId, START_MS, submitted, TOKEN, working } from './fixtures.ts';

describe('expiry', () => {
  const nowMs = START_MS + 1_000 + 86_400_000;

  it('fails the task with a clear reason by default (S30)', () => {
    const failed = moved(asking, { type: 'do-due' }, nowMs);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.log.at(-1)?.message).toMatchObject({
      value: {
        parts: [{ text: 'No answer to "cost-centre" arrived before it expired at 2026-12-01T12:00:01.000Z.' }],
        metadata: { 'https://askback.dev/a2a/extensions/question/v1': { reason: 'QUESTION_EXPIRED' } },
      },
    });
  });

  it.each([
    [
      { then: 'resume' },
      { outcome: 'expired' },
      'No answer to "cost-centre" arrived before it expired at 2026-12-01T12:00:01.000Z. The task goes on without one.',
      'QUESTION_EXPIRED_RESUMED',
    ],
    [
      { then: 'default', value: { costCentre: 'CC-4420' } },
      { outcome: 'defaulted', value: { value: { costCentre: 'CC-4420' } } },
      'No answer to "cost-centre" arrived before it expired at 2026-12-01T12:00:01.000Z. The task goes on with a default.',
      'QUESTION_DEFAULTED',
    ],
  ] as const)('with %j the code goes on, and code and history are told so, never as an answer (R50, R92)', (...row) => {
    const [onExpire, record, text, reason] = row;
    const open = moved(working, {
      type: 'ask',
      token: TOKEN,
      call: 1,
      spec: { ...COMMANDS.ask.spec, onExpire },
      events: [],
    });
    const next = moved(open, { type: 'do-due' }, nowMs);
    expect(next.status.state).toBe('TASK_STATE_WORKING');
    expect(next.log.at(-1)).toMatchObject({
      state: 'TASK_STATE_WORKING',
      message: {
        value: {
          role: 'ROLE_AGENT',
          parts: [{ text }],
          metadata: { 'https://askback.dev/a2a/extensions/question/v1': { reason, question: openId } },
        },
      },
    });
    expect(next.calls[0]).toMatchObject(record);
    expect(next.calls[0]).not.toHaveProperty('messageId');
    expect(next.turn).toMatchObject({ n: 2, phase: 'requested' });
  });

  it('cancels the task where the agent chose so', () => {
    const spec = { ...COMMANDS.ask.spec, onExpire: { then: 'cancel' } } as const;
    const open = moved(working, { type: 'ask', token: TOKEN, call: 1, spec, events: [] });
    expect(moved(open, { type: 'do-due' }, nowMs).status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('failed attempts', () => {
  it('park with growing delay and fail the task after five (section 8)', () => {
    let head = working;
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      const failed = must(transition(head, { ...COMMANDS['fail-attempt'] }, START_MS));
      head = failed.head;
      for (const effect of failed.effects) {
        if (effect.kind === 'dispatch') delays.push(effect.delayMs ?? 0);
      }
      if (attempt < 5) head = moved(head, claimOf(1), START_MS + 3_600_000);
    }
    expect(delays).toEqual([5_000, 30_000, 180_000, 900_000]);
    expect(head.status.state).toBe('TASK_STATE_FAILED');
    expect(head.log.at(-1)?.message).toMatchObject({
      value: { parts: [{ text: 'The agent failed. Correlation id: c-2' }] },
    });
  });

  it('cannot be claimed again before the delay is over', () => {
    const parked = moved(working, { ...COMMANDS['fail-attempt'] }, START_MS);
    expect(transition(parked, claimOf(1), START_MS + 4_999)).toEqual({ ok: false, rejection: 'not-claimable' });
    expect(transition(parked, claimOf(1), START_MS + 5_000).ok).toBe(true);
  });
});

describe('redispatch', () => {
  it('doubles the next due, so that a backlog is not fed twice (section 8)', () => {
    const once = moved(submitted, { type: 'do-due' }, START_MS + 50_000);
    expect(once.turn.dispatch).toEqual({ dueMs: START_MS + 50_000 + 100_000, intervalMs: 100_000 });
    const twice = moved(once, { type: 'do-due' }, START_MS + 150_000);
    expect(twice.turn.dispatch).toEqual({ dueMs: START_MS + 150_000 + 200_000, intervalMs: 200_000 });
  });
});

describe('secrets of an ended task (section 4)', () => {
  const ended = { ...moved(asking, { type: 'cancel' }, START_MS), secrets: true };

  it('are marked as deleted once, and retention goes on', () => {
    const dropped = moved(ended, { type: 'secrets-dropped' }, START_MS + 120_000);
    expect(dropped).toMatchObject({ version: ended.version + 1, secrets: false, dueMs: START_MS + 30 * 86_400_000 });
    const again = transition(dropped, { type: 'secrets-dropped' }, START_MS + 120_000);
    expect(again).toEqual({ ok: false, rejection: 'unchanged' });
  });

  it('stay while the task lives', () => {
    const live = { ...asking, secrets: true };
    expect(transition(live, { type: 'secrets-dropped' }, START_MS)).toEqual({ ok: false, rejection: 'unchanged' });
  });
});
