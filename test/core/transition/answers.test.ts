/** What answers and refused answers write, in literal values: outcome, next question, timers. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../core/transition/command.ts';
import { transition } from '../../../core/transition/transition.ts';
import {
  answer,
  answered,
  asking,
  COMMANDS,
  claimOf,
  moved,
  must,
  START_MS,
  statusOf,
  TASK_ID,
  TOKEN,
} from './fixtures.ts';

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
      { kind: 'measure', metric: 'TimeToAnswer', ms: 1_000 },
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

describe("answers that the author's own checks accept", () => {
  it('stand as what those made of them, under the lease, with nothing told', () => {
    const running = moved(answered, claimOf(2));
    const passed = must(
      transition(running, { type: 'pass-answer', token: TOKEN, call: 1, value: 'CC-4410 Travel' }, START_MS + 3_000),
    );
    expect(passed.head.calls).toHaveLength(1);
    expect(passed.head.calls[0]).toMatchObject({ call: 1, outcome: 'answered', checked: { value: 'CC-4410 Travel' } });
    expect(passed.head.calls[0]).not.toHaveProperty('value');
    expect(passed.head).toMatchObject({ generation: running.generation, turn: running.turn });
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
