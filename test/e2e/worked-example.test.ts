import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, connect } from '../../local/official-client.ts';
import { BINDINGS } from './support/bindings.ts';
import { answer, expense, history, question, REQUEST, say, statusText } from './support/expense.ts';
import { isLocal, openTarget, type Target } from './support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.stop());

describe.each(BINDINGS)('the worked example with the official client (%s)', (binding) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await connect(target.url, binding, target.as('alice'));
  });

  test('asks, refuses a bad answer, accepts a good one, completes, and keeps the whole record', async () => {
    const before = isLocal ? (await target.local.ledger()).length : 0;
    const request = say(REQUEST);
    const asked = await caller.send(request);
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message).toMatchObject({ role: 'ROLE_AGENT', taskId: asked.id, contextId: asked.contextId });
    expect(statusText(asked)).toBe('Which cost centre should this expense be charged to?');
    const first = question(asked);
    expect(first.questionId).toMatch(/-1$/);
    expect(first).toMatchObject({
      answerSchema: {
        type: 'object',
        properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
        required: ['costCentre'],
      },
      options: ['CC-4410', 'CC-4420'],
      attempt: 1,
      maxAttempts: 3,
    });
    expect(Date.parse(first.expires) - Date.parse(asked.status.timestamp)).toBe(24 * 60 * 60 * 1000);
    expect(asked.status.message?.parts.map(({ mediaType }) => mediaType)[1]).toBe('application/json');

    const bad = say('engineering', { taskId: asked.id, contextId: asked.contextId });
    const again = await caller.send(bad);
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const second = question(again);
    expect(second.questionId).toMatch(/-2$/);
    expect(second.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('expected one of CC-4410, CC-4420') }),
    ]);
    expect(second).toMatchObject({ previousQuestionId: first.questionId, expires: first.expires, attempt: 2 });

    const good = answer(again, { costCentre: 'CC-4410' });
    const done = await caller.send(good);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(expense(done)).toMatchObject({
      expenseId: expect.stringMatching(isLocal ? /^EXP-\d{6}$/ : /^EXP-[0-9A-F]{12}$/),
      amount: 42,
      currency: 'EUR',
      vendor: 'taxi',
      costCentre: 'CC-4410',
    });
    const record = [
      ['ROLE_USER', REQUEST],
      ['ROLE_AGENT', first.questionId],
      ['ROLE_USER', 'engineering'],
      ['ROLE_AGENT', second.questionId],
      ['ROLE_USER', { questionId: second.questionId, costCentre: 'CC-4410' }],
    ];
    expect(history(done)).toEqual(record);

    // The same messages sent again change nothing.
    for (const message of [request, bad, good]) {
      expect(await caller.send(message)).toEqual(done);
    }
    expect(await caller.get(done.id)).toEqual(done);
    if (isLocal) {
      const { expenseId } = expense(done) ?? {};
      const entries = (await target.local.ledger()).filter(({ id }) => id === expenseId);
      expect(entries).toMatchObject([{ amount: 42, currency: 'EUR', vendor: 'taxi', costCentre: 'CC-4410' }]);
      expect(await target.local.ledger()).toHaveLength(before + 1);
    }
  });

  test('three bad answers fail the task with "no valid answer"', async () => {
    const asked = await caller.send(say(REQUEST));
    const to = { taskId: asked.id, contextId: asked.contextId };
    expect(question(await caller.send(say('engineering', to))).questionId).toMatch(/-2$/);
    expect(question(await caller.send(say('sales', to))).questionId).toMatch(/-3$/);
    const failed = await caller.send(say('CC-9999', to));
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toContain('no valid answer');
    expect(failed.artifacts ?? []).toEqual([]);
  });

  test('a canceled task refuses the answer', async () => {
    const asked = await caller.send(say(REQUEST));
    expect((await caller.cancel(asked.id)).status.state).toBe('TASK_STATE_CANCELED');
    await expect(caller.send(answer(asked, { costCentre: 'CC-4410' }))).rejects.toThrow(/CANCELED|ended|terminal/i);
    expect((await caller.get(asked.id)).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('what cannot be read is collected in one question; the cost centre is the next one', async () => {
    const asked = await caller.send(say('File my receipt'));
    expect(Object.keys(question(asked).answerSchema.properties as object)).toEqual([
      'amount',
      'currency',
      'date',
      'vendor',
    ]);
    const details = { amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Blue Bottle' };
    const next = await caller.send(answer(asked, details));
    expect(question(next).options).toEqual(['CC-4410', 'CC-4420']);
    const done = await caller.send(say('CC-4420', { taskId: next.id }));
    expect(expense(done)).toMatchObject({ ...details, costCentre: 'CC-4420' });
  });
});
