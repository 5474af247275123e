/** What a sub-agent asks of `turn.delegate`: answered, relayed, sent down once (design 12; R68, R71, R73). */
import { describe, expect, it } from 'vitest';
import type { DelegateError } from '../../agent/errors.ts';
import type { Json } from '../../core/json.ts';
import { costCentre, HOUR_MS, play, relayed, START_MS } from './delegation.ts';
import type { FakeSubAgent } from './fake-sub-agent.ts';

const ours = { type: 'object', properties: { centre: { type: 'string' } }, required: ['centre'] } as const;

describe('what a sub-agent asks', () => {
  it('is answered from what this agent knows, without asking anybody', async () => {
    const { task, sub, turn } = play({ resolve: () => 'CC-4410' });
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(task.asked).toEqual([]);
    expect(sub.taken.at(-1)).toEqual({
      messageId: 'task-1-4',
      taskId: 'sub-of-task-1-1',
      contextId: 'sub-ctx',
      role: 'ROLE_USER',
      parts: [{ data: { costCentre: 'CC-4410', questionId: 'q-sub-1' }, mediaType: 'application/json' }],
    });
  });

  it('is relayed in words of this agent: nothing of the sub-agent shows (R68)', async () => {
    const { task, sub, turn, results } = play({ ...relayed, resolve: () => undefined });
    await turn();
    sub.asks({ questionId: 'q-sub-1', text: 'Ledger db-7: cost centre?', schema: costCentre });
    expect(await turn()).toMatchObject({ left: 'asked' });
    expect(task.asked).toEqual([
      {
        name: 'filing',
        text: 'Which centre should finance charge?',
        schema: ours,
        relays: { taskId: 'sub-of-task-1-1', questionId: 'q-sub-1' },
      },
    ]);
    task.answer({ centre: 'CC-4420' });
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.taken.at(-1)?.parts).toEqual([
      { data: { costCentre: 'CC-4420', questionId: 'q-sub-1' }, mediaType: 'application/json' },
    ]);
    sub.completes({ expenseId: 'EXP-1' });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(results).toHaveLength(1);
  });

  it('again is relayed again; the task goes on only when the sub-task has ended (R71)', async () => {
    const { task, sub, turn, results } = play(relayed);
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await turn();
    sub.onAnswer = () => sub.asks({ questionId: 'q-sub-2', schema: costCentre });
    task.answer({ centre: 'CC-4410' });
    expect(await turn()).toMatchObject({ left: 'asked' });
    sub.onAnswer = () => sub.completes({ expenseId: 'EXP-1' });
    task.answer({ centre: 'CC-4420' });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(results).toHaveLength(1);
    expect(sub.taken.map(({ parts }) => parts[0]?.data ?? null)).toEqual([
      null,
      { costCentre: 'CC-4410', questionId: 'q-sub-1' },
      { costCentre: 'CC-4420', questionId: 'q-sub-2' },
    ]);
  });

  it('in words only is answered in words', async () => {
    const { task, sub, turn } = play({ restate: () => ({ text: 'Which one?' }) });
    await turn();
    sub.says('TASK_STATE_INPUT_REQUIRED', 'Cost centre, please');
    await turn();
    task.answer({ text: 'CC-4410' });
    await turn();
    expect(sub.taken.at(-1)?.parts).toEqual([{ text: 'CC-4410' }]);
  });

  it('and an answer that is known and does not fit is not sent: the caller is asked', async () => {
    const { task, sub, turn } = play({ ...relayed, resolve: () => 'travel' });
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    expect(await turn()).toMatchObject({ left: 'asked' });
    expect(task.asked).toHaveLength(1);
    expect(sub.taken).toHaveLength(1);
  });

  it('and nobody can answer fails, and the sub-task is canceled', async () => {
    const { task, sub, errors, turn } = play();
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ state: undefined, reason: 'it asks what this agent does not know' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('and a caller declines is declined below, in the convention', async () => {
    const { task, sub, errors, turn } = play(relayed);
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await turn();
    sub.onAnswer = () => sub.says('TASK_STATE_REJECTED', 'Declined.');
    task.decline('private trip');
    expect(await turn()).toEqual({ left: 'returned' });
    expect(sub.taken.at(-1)?.parts).toEqual([
      { data: { questionId: 'q-sub-1', decline: { reason: 'private trip' } }, mediaType: 'application/json' },
    ]);
    expect(errors).toMatchObject([{ state: 'TASK_STATE_REJECTED' }]);
  });

  it('and an answer that its translation makes unfit is never sent', async () => {
    const { task, sub, errors, turn } = play({ ...relayed, translate: () => ({ costCentre: 'nowhere' }) });
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await turn();
    task.answer({ centre: 'CC-4410' });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(sub.taken).toHaveLength(1);
    expect((errors[0] as DelegateError).reason).toContain('the answer does not fit its question: /costCentre');
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('with a translation that is no JSON is a fault that the author cannot catch', async () => {
    const { task, sub, errors, turn } = play({ ...relayed, translate: () => new Date(0) });
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await turn();
    task.answer({ centre: 'CC-4410' });
    expect(await turn()).toMatchObject({ left: 'threw', error: { reason: 'NOT_JSON' } });
    expect(errors).toEqual([]);
  });

  it('more than 20 times is given up', async () => {
    const { sub, errors, turn, task } = play({ resolve: () => 'CC-4410' });
    await turn();
    let n = 0;
    sub.onAnswer = () => sub.asks({ questionId: `q-${++n}`, schema: costCentre });
    sub.asks({ questionId: 'q-0', schema: costCentre });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ reason: 'it asked more than 20 questions' }]);
    expect(sub.taken).toHaveLength(21);
    expect(task.closed).toEqual(['cancel 1']);
  });
});

describe('the expiry of a relayed question', () => {
  it.each([
    // Ten hours left: 5 % are thirty minutes.
    [10 * HOUR_MS, START_MS + 9.5 * HOUR_MS],
    // Ten minutes left: sixty seconds are more than 5 %.
    [600_000, START_MS + 540_000],
  ])('is before the sub-agent’s by sixty seconds or 5 %% (%d ms left)', async (left, by) => {
    const { task, sub, turn } = play(relayed);
    await turn();
    sub.asks({ questionId: 'q-1', schema: costCentre, expiresAtMs: START_MS + left });
    await turn();
    expect(task.asked[0]?.expiresByMs).toBe(by);
  });

  it('that would leave the caller no time is an error "expires too soon", and the sub-task is canceled', async () => {
    const { task, sub, errors, turn } = play(relayed);
    await turn();
    sub.asks({ questionId: 'q-1', schema: costCentre, expiresAtMs: START_MS + 119_000 });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(task.asked).toEqual([]);
    expect(errors).toMatchObject([{ reason: 'its question expires too soon' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('matters not to an answer that is known', async () => {
    const { sub, turn } = play({ ...relayed, resolve: () => 'CC-4410' });
    await turn();
    sub.asks({ questionId: 'q-1', schema: costCentre, expiresAtMs: START_MS + 119_000 });
    await turn();
    expect(sub.taken).toHaveLength(2);
  });
});

describe('an answer sent down', () => {
  async function answered(fault: FakeSubAgent['faults']) {
    const played = play(relayed);
    await played.turn();
    played.sub.asks({ questionId: 'q-1', schema: costCentre });
    await played.turn();
    played.sub.faults = fault;
    played.task.answer({ centre: 'CC-4410' });
    return played;
  }

  it('that was lost on the way is sent again with the same id, and taken once', async () => {
    const { sub, turn } = await answered([{ retryable: true, lost: true }, { retryable: true }]);
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.sent.map(({ message }) => message.messageId)).toEqual(['task-1-1', 'task-1-4', 'task-1-4', 'task-1-4']);
    expect(sub.taken).toHaveLength(2);
  });

  it('to an agent that is down fails the attempt, not the delegate: the next turn sends it', async () => {
    const { sub, turn, errors } = await answered([{ retryable: true }, { retryable: true }, { retryable: true }]);
    expect(await turn()).toMatchObject({ left: 'threw' });
    expect(errors).toEqual([]);
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.taken).toHaveLength(2);
  });

  it('that makes the sub-agent begin another task has not been taken, and leaves nothing behind (R21)', async () => {
    const { task, sub, turn, errors } = play(relayed);
    await turn();
    sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await turn();
    task.answer({ centre: 'CC-4410' });
    const { id } = sub;
    const send = sub.send.bind(sub);
    // It does not know what a task id in a message means.
    sub.send = (message, options) => {
      const { taskId: _unread, ...rest } = message;
      return send(rest, options);
    };
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([
      {
        name: 'DelegateError',
        reason: 'it refused the answer to its question: it took the answer for the beginning of another task',
      },
    ]);
    const [other] = [...sub.tasks.keys()].filter((one) => one !== id);
    expect(sub.canceled).toEqual([other]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('that comes too late leads to another look: the question is closed, the sub-task decides', async () => {
    const { sub, turn, errors } = await answered([{ retryable: false, message: 'question q-1 has expired' }]);
    sub.says('TASK_STATE_FAILED', 'expired');
    await turn();
    expect(errors).toMatchObject([{ state: 'TASK_STATE_FAILED' }]);
  });

  it('that is refused while its question stays open ends the delegate', async () => {
    const { task, turn, errors } = await answered([{ retryable: false, message: 'not yours' }]);
    await turn();
    expect(errors).toMatchObject([{ reason: 'it refused the answer to its question: not yours' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('is not asked for twice where the old question still shows; after ten minutes it was not taken', async () => {
    const { task, sub, turn, errors } = await answered([]);
    sub.onAnswer = () => undefined;
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(task.asked).toHaveLength(1);
    task.nowMs += 600_000;
    await turn();
    expect(errors).toMatchObject([{ reason: 'it does not go on although it was answered' }]);
  });
});

describe('a schema from outside', () => {
  it.each([
    ['a pattern that can blow up', { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }],
    ['a reference elsewhere', { type: 'object', properties: { a: { $ref: 'https://evil.example/s.json' } } }],
    ['no object at its root', { type: 'string' }],
    ['17 KB', { type: 'object', description: 'x'.repeat(17_000) }],
    ['a reserved name', { type: 'object', properties: { decline: {} }, required: ['decline'] }],
  ])('with %s is left to its words', async (_what, schema) => {
    const seen: Json[] = [];
    const { sub, turn } = play({
      resolve: (question) => {
        seen.push(question as unknown as Json);
        return 'CC-4410';
      },
    });
    await turn();
    sub.asks({ questionId: 'q-1', schema: schema as never });
    await turn();
    expect(seen).toMatchObject([{ questionId: 'q-1', text: 'Which one?', problem: expect.any(String) }]);
    expect(seen[0]).not.toHaveProperty('schema');
    expect(sub.taken.at(-1)?.parts).toEqual([{ text: 'CC-4410' }]);
  });
});

it.each([
  ['begins it', 1, 'delegate', 'filing'],
  ['looks at it', 2, 'wait', 'filing'],
  ['sends an answer down', 4, 'step', 'filing/answer'],
] as const)('a record without a result for the call that %s is a fault that says so', async (_what, n, kind, name) => {
  const { task, sub, turn } = play({ resolve: () => 'CC-4410' });
  await turn();
  sub.asks({ questionId: 'q-sub-1', schema: costCentre });
  await turn();
  expect(task.records.get(n)).toMatchObject({ kind, name });
  task.records.set(n, { kind, name, result: { error: { name: 'Error', message: 'other code' } } });
  expect(await turn()).toMatchObject({
    left: 'threw',
    error: {
      reason: 'CODE_CHANGED',
      message: `the record of call ${n}, ${kind} "${name}", holds no result`,
    },
  });
});
