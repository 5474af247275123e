/** What each move writes, in literal values: log, generation, outcome, what is owed next. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../core/transition/command.ts';
import { transition } from '../../../core/transition/transition.ts';
import {
  moved,
  answer,
  answered,
  asking,
  COMMANDS,
  claimOf,
  must,
  openId,
  START_MS,
  statusOf,
  submitted,
  TASK_ID,
  TOKEN,
  working,
} from './fixtures.ts';

describe('creation', () => {
  it('is one version with the request in the log, generation 1, and turn 1 owed (design, section 3)', () => {
    expect(submitted).toMatchObject({
      version: 1,
      seq: 1,
      generation: 1,
      status: { state: 'TASK_STATE_SUBMITTED', seq: 1, atMs: START_MS },
      turn: { n: 1, phase: 'requested', attempts: 0, dispatch: { dueMs: START_MS + 120_000, intervalMs: 120_000 } },
      marks: [{ id: 'mark-1', digest: 'digest-1' }],
      dueMs: START_MS + 120_000,
    });
    expect(submitted.log).toEqual([
      {
        seq: 1,
        atMs: START_MS,
        generation: 1,
        state: 'TASK_STATE_SUBMITTED',
        received: {
          value: {
            messageId: 'm-1',
            role: 'ROLE_USER',
            parts: [{ text: 'File my taxi receipt from Tuesday, 42 euros' }],
          },
        },
      },
    ]);
  });
});

describe('claim', () => {
  it('is working with one event the first time; later claims change phase and lease only', () => {
    expect(working).toMatchObject({ seq: 2, generation: 2, status: { state: 'TASK_STATE_WORKING', seq: 2 } });
    const later = moved(answered, claimOf(2));
    expect(later).toMatchObject({ seq: answered.seq, generation: answered.generation, status: answered.status });
    expect(later.turn).toEqual({
      n: 2,
      phase: 'running',
      attempts: 1,
      lease: { token: TOKEN, untilMs: START_MS + 61_000 },
    });
    expect(later.dueMs).toBe(START_MS + 61_000);
  });
});

describe('ask', () => {
  const result = must(
    transition(working, { type: 'ask', token: TOKEN, call: 1, spec: COMMANDS.ask.spec, events: [] }, START_MS + 1_000),
  );

  it('stores question, event and expiry and gives up the lease in one write (section 3, step 4)', () => {
    expect(result.head.turn).toEqual({ n: 1, phase: 'idle', attempts: 0 });
    expect(result.head.ask).toMatchObject({
      call: 1,
      name: 'cost-centre',
      ask: 1,
      questionId: openId,
      attempt: 1,
      maxAttempts: 3,
      expiresAtMs: START_MS + 1_000 + 86_400_000,
    });
    expect(result.head.dueMs).toBe(START_MS + 1_000 + 86_400_000);
    expect(result.head.log.at(-1)).toMatchObject({ seq: 3, generation: 3, state: 'TASK_STATE_INPUT_REQUIRED' });
  });

  it('owes one timer at the expiry', () => {
    expect(result.effects).toEqual([
      { kind: 'set-timer', taskId: TASK_ID, ask: 1, timer: 'expire', atMs: START_MS + 1_000 + 86_400_000 },
      { kind: 'count', metric: 'QuestionsAsked' },
    ]);
  });

  it('owes no timer for what is due within 90 s: the sweeper is as good (section 8)', () => {
    const spec = { ...COMMANDS.ask.spec, expiresInMs: 89_999 };
    const soon = must(transition(working, { type: 'ask', token: TOKEN, call: 1, spec, events: [] }, START_MS + 1_000));
    expect(soon.effects).toEqual([{ kind: 'count', metric: 'QuestionsAsked' }]);
  });
});

describe('answer', () => {
  it('closes the question, records the outcome and owes the next turn in one write (invariant 1)', () => {
    const result = must(transition(asking, answer, START_MS + 2_000));
    expect(result.head.ask).toBeUndefined();
    expect(result.head.turn).toMatchObject({ n: 2, phase: 'requested', attempts: 0 });
    expect(result.head.status).toEqual({ state: 'TASK_STATE_WORKING', atMs: START_MS + 2_000, seq: 4 });
    expect(result.head.calls).toMatchObject([
      {
        kind: 'ask',
        call: 1,
        name: 'cost-centre',
        outcome: 'answered',
        messageId: 'm-2',
        value: { value: { costCentre: 'CC-4410' } },
      },
    ]);
    expect(result.head.log.at(-1)).toMatchObject({
      seq: 4,
      generation: 4,
      state: 'TASK_STATE_WORKING',
      received: { value: { messageId: 'm-2' } },
    });
    expect(result.effects).toEqual([
      { kind: 'dispatch', taskId: TASK_ID, turn: 2 },
      { kind: 'count', metric: 'QuestionsAnswered' },
    ]);
  });

  it('is refused at the very millisecond of expiry, whether or not a timer has fired (invariant 7)', () => {
    const expiresAtMs = START_MS + 1_000 + 86_400_000;
    expect(transition(asking, answer, expiresAtMs)).toEqual({ ok: false, rejection: 'overdue' });
    expect(transition(asking, answer, expiresAtMs - 1).ok).toBe(true);
  });

  it('is refused when it names another question (invariant 6)', () => {
    const stale = { ...answer, questionId: 'q-abcdefghijklmnop-2' };
    expect(transition(asking, stale, START_MS + 2_000)).toEqual({ ok: false, rejection: 'question-closed' });
  });

  it('leaves its timer to the next turn, which deletes it with its first write (section 3, step 7)', () => {
    const claimed = moved(answered, claimOf(2));
    const first = must(transition(claimed, { ...COMMANDS.emit }, START_MS + 3_000));
    expect(first.effects).toContainEqual({ kind: 'delete-timer', taskId: TASK_ID, ask: 1, timer: 'expire' });
    const second = must(transition(first.head, { ...COMMANDS.emit }, START_MS + 3_000));
    expect(second.effects).toEqual([]);
  });
});

describe('refused answers', () => {
  const refuse = COMMANDS['refuse-answer'];

  it('ask again under the next question id, same expiry, until the cap; then the task fails (S16)', () => {
    const second = moved(asking, refuse, START_MS + 2_000);
    expect(second.ask).toMatchObject({
      questionId: 'q-abcdefghijklmnop-2',
      attempt: 2,
      ask: 1,
      expiresAtMs: START_MS + 1_000 + 86_400_000,
    });
    const third = moved(second, { ...refuse, questionId: 'q-abcdefghijklmnop-2' }, START_MS + 3_000);
    expect(third.ask).toMatchObject({ questionId: 'q-abcdefghijklmnop-3', attempt: 3 });
    const failed = must(transition(third, { ...refuse, questionId: 'q-abcdefghijklmnop-3' }, START_MS + 4_000));
    expect(failed.head.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.head.log.at(-1)?.message).toMatchObject({
      value: {
        parts: [
          {
            text: 'The task failed: no valid answer to "cost-centre" in 3 attempts (/costCentre: expected one of CC-4410, CC-4420).',
          },
        ],
        metadata: {
          'https://askback.dev/a2a/extensions/question/v1': {
            reason: 'NO_VALID_ANSWER',
            question: 'q-abcdefghijklmnop-3',
          },
        },
      },
    });
    expect(failed.effects).toContainEqual({ kind: 'delete-timer', taskId: TASK_ID, ask: 1, timer: 'expire' });
  });
});

describe("answers that the author's own checks refuse", () => {
  const running = moved(answered, claimOf(2));
  const reask: Command = {
    type: 'reask',
    token: TOKEN,
    call: 1,
    question: statusOf(asking),
    errors: [{ pointer: '/costCentre', message: 'closed since June' }],
    events: [],
  };

  it('ask again under the same cap, expiry and timer (section 6)', () => {
    const again = must(transition(running, reask, START_MS + 3_000));
    expect(again.head.ask).toMatchObject({
      call: 1,
      name: 'cost-centre',
      ask: 1,
      questionId: 'q-abcdefghijklmnop-2',
      attempt: 2,
      expiresAtMs: START_MS + 1_000 + 86_400_000,
    });
    expect(again.head.turn).toEqual({ n: 2, phase: 'idle', attempts: 0 });
    expect(again.head.calls).toEqual([]);
    expect(again.effects).toEqual([{ kind: 'count', metric: 'QuestionsReasked' }]);
  });

  it('make the timer again where this turn had deleted it', () => {
    const written = moved(running, COMMANDS.emit, START_MS + 3_000);
    expect(must(transition(written, reask, START_MS + 3_000)).effects).toContainEqual({
      kind: 'set-timer',
      taskId: TASK_ID,
      ask: 1,
      timer: 'expire',
      atMs: START_MS + 1_000 + 86_400_000,
    });
  });

  it('fail the task at the cap', () => {
    const calls = running.calls.map((call) =>
      call.kind === 'ask' ? { ...call, open: { ...call.open, attempt: 3 } } : call,
    );
    const failed = must(transition({ ...running, calls }, reask, START_MS + 3_000));
    expect(failed.head.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.effects).toContainEqual({ kind: 'delete-timer', taskId: TASK_ID, ask: 1, timer: 'expire' });
  });
});

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
    [{ then: 'resume' }, 'TASK_STATE_WORKING', { outcome: 'expired' }],
    [
      { then: 'default', value: { costCentre: 'CC-4420' } },
      'TASK_STATE_WORKING',
      { outcome: 'defaulted', value: { value: { costCentre: 'CC-4420' } } },
    ],
  ] as const)('with %j the code goes on and is told so, never as an answer (R50, R92)', (onExpire, state, record) => {
    const open = moved(working, {
      type: 'ask',
      token: TOKEN,
      call: 1,
      spec: { ...COMMANDS.ask.spec, onExpire },
      events: [],
    });
    const next = moved(open, { type: 'do-due' }, nowMs);
    expect(next.status.state).toBe(state);
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
    const once = moved(submitted, { type: 'do-due' }, START_MS + 120_000);
    expect(once.turn.dispatch).toEqual({ dueMs: START_MS + 120_000 + 240_000, intervalMs: 240_000 });
    const twice = moved(once, { type: 'do-due' }, START_MS + 360_000);
    expect(twice.turn.dispatch).toEqual({ dueMs: START_MS + 360_000 + 480_000, intervalMs: 480_000 });
  });
});

describe('unread messages', () => {
  const received = moved(working, COMMANDS.receive, START_MS + 2_000);

  it('run the turn once more before it may complete, and only once (section 7)', () => {
    const told = moved(received, COMMANDS.end, START_MS + 3_000);
    expect(told).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      turn: { n: 2, phase: 'requested' },
      toldUnread: 3,
    });
    const again = moved(told, claimOf(2), START_MS + 4_000);
    expect(moved(again, COMMANDS.end, START_MS + 5_000).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('do not hold up a failure', () => {
    expect(moved(received, { ...COMMANDS.end, state: 'TASK_STATE_FAILED' }).status.state).toBe('TASK_STATE_FAILED');
  });

  it('are bounded', () => {
    let head = working;
    for (let at = 0; at < 20; at++) head = moved(head, COMMANDS.receive, START_MS + 2_000);
    expect(transition(head, COMMANDS.receive, START_MS + 2_000)).toEqual({ ok: false, rejection: 'inbox-full' });
  });
});

describe('end', () => {
  it('keeps the task for 30 days (section 4, retention)', () => {
    expect(moved(working, COMMANDS.end, START_MS).dueMs).toBe(START_MS + 30 * 86_400_000);
  });
});
