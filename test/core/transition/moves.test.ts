/** What the moves of turns and messages write, in literal values: log, generation, what is owed next. */
import { describe, expect, it } from 'vitest';
import { transition } from '../../../core/transition/transition.ts';
import {
  answered,
  COMMANDS,
  claimOf,
  moved,
  must,
  openId,
  START_MS,
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
      turn: { n: 1, phase: 'requested', attempts: 0, dispatch: { dueMs: START_MS + 50_000, intervalMs: 50_000 } },
      marks: [{ id: 'mark-1', digest: 'digest-1' }],
      dueMs: START_MS + 50_000,
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
    expect(later.dueMs).toBe(answered.dueMs);
    expect(later.dueMs).toBe(START_MS + 52_000);
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
