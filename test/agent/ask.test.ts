/** Asking, pausing and going on with what became of the question (design 6 and 7). */
import { describe, expect, it } from 'vitest';
import { DeclinedError, ExpiredError } from '../../agent/errors.ts';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import { agentOf, FakeTask, settled } from './fake-host.ts';

const approval = {
  type: 'object',
  properties: { approved: { type: 'boolean' } },
  required: ['approved'],
} as const;

describe('ask', () => {
  it('opens the question in the words of the core', async () => {
    const task = new FakeTask();
    await task.turn(async (turn) => {
      await turn.ask('centre', {
        text: 'Which one?',
        schema: approval,
        options: [true, { value: false, label: 'No' }],
        allowOther: false,
        expiresIn: { days: 1, hours: 2, minutes: 3, seconds: 4 },
        remind: [{ before: { hours: 2 } }, { before: { minutes: 30 } }],
        maxAttempts: 2,
        onExpire: { default: { approved: false } },
        parseText: () => ({ approved: true }),
      });
    });
    expect(task.asked).toEqual([
      {
        name: 'centre',
        text: 'Which one?',
        schema: approval,
        options: [true, { value: false, label: 'No' }],
        allowOther: false,
        expiresInMs: 93_784_000,
        remindBeforeMs: [7_200_000, 1_800_000],
        maxAttempts: 2,
        onExpire: { then: 'default', value: { approved: false } },
        parsesText: true,
      },
    ]);
  });

  it('says nothing of what the author left out', async () => {
    const task = new FakeTask();
    await task.turn(async (turn) => void (await turn.ask('why', { text: 'Why?', onExpire: 'resume' })));
    expect(task.asked).toEqual([{ name: 'why', text: 'Why?', onExpire: { then: 'resume' } }]);
  });

  it.each([
    ['the object', { approved: true, note: 'fine' }],
    ['a false', { approved: false }],
  ])('gives the typed value as it was sent: %s (R60, R56)', async (_what, value) => {
    const task = new FakeTask();
    let seen: unknown;
    const code = async (turn: Turn) => {
      seen = await turn.ask('ok', { text: 'OK?', schema: approval });
    };
    await task.turn(code);
    task.answer(value);
    await task.turn(code);
    expect(seen).toEqual(value);
    expect(task.recorded).toEqual([]);
  });

  it.each([[false], [0], [''], [null], [[]]])('gives %j as it is (R56)', async (value) => {
    const task = new FakeTask();
    let seen: unknown = 'nothing';
    const code = async (turn: Turn) => {
      seen = await turn.ask('any', {
        text: 'What?',
        schema: { type: ['boolean', 'number', 'string', 'null', 'array'] },
      });
    };
    await task.turn(code);
    task.answer(value);
    await task.turn(code);
    expect(seen).toEqual(value);
  });

  it('without a schema gives the text, and the default too', async () => {
    const task = new FakeTask();
    const seen: string[] = [];
    const code = async (turn: Turn) => {
      seen.push(await turn.ask('name', { text: 'Your name?' }));
      seen.push(await turn.ask('nick', { text: 'Nickname?', onExpire: { default: 'none' } }));
    };
    await task.turn(code);
    task.answer({ text: 'Ada' });
    await task.turn(code);
    task.expire();
    await task.turn(code);
    expect(task.asked[1]?.onExpire).toEqual({ then: 'default', value: { text: 'none' } });
    expect(seen).toEqual(['Ada', 'Ada', 'none']);
  });

  it('asks no second question when the answer is there, also after crashes (R63, R66)', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      const { approved } = await turn.ask('one', { text: 'One?', schema: approval });
      await turn.step('between', () => approved);
      await turn.ask('two', { text: 'Two?', schema: approval });
    };
    await task.turn(code);
    task.answer({ approved: true });
    await task.turn(code, { write: 1, reached: false });
    await task.turn(code, { write: 1, reached: true });
    await task.turn(code, { write: 1, reached: false });
    expect(task.asked.map(({ name }) => name)).toEqual(['one']);
    expect(await task.turn(code)).toMatchObject({ left: 'asked', spec: { name: 'two' } });
    task.answer({ approved: true });
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(task.asked.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('a no, a decline and an expiry guard the side effect (R06)', async () => {
    const outcomes: [(task: FakeTask) => void, unknown][] = [
      [(task) => task.answer({ approved: false }), { left: 'returned' }],
      [
        (task) => task.decline('too dear'),
        { left: 'ended', state: 'TASK_STATE_REJECTED', reason: 'the question "ok" was declined: too dear' },
      ],
      [
        (task) => task.decline(),
        { left: 'ended', state: 'TASK_STATE_REJECTED', reason: 'the question "ok" was declined' },
      ],
      [
        (task) => task.expire(),
        { left: 'ended', state: 'TASK_STATE_FAILED', reason: 'the question "ok" expired without an answer' },
      ],
    ];
    for (const [settle, expected] of outcomes) {
      const task = new FakeTask();
      let paid = 0;
      const agent = agentOf(async (turn) => {
        const { approved } = await turn.ask('ok', { text: 'Pay?', schema: approval, onExpire: 'resume' });
        if (approved) await turn.step('pay', () => ++paid);
      });
      await task.turn(agent);
      settle(task);
      expect(await task.turn(agent)).toEqual(expected);
      expect(paid).toBe(0);
    }
  });

  it('a decline that the code catches is on its refusal branch', async () => {
    const task = new FakeTask();
    const caught: unknown[] = [];
    const code = async (turn: Turn) => {
      await turn.ask('ok', { text: 'Pay?', onExpire: 'resume' }).catch((error: unknown) => caught.push(error));
    };
    await task.turn(code);
    task.decline('no');
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(caught).toEqual([new DeclinedError('ok', 'no')]);
    expect(caught[0]).toMatchObject({ question: 'ok', reason: 'no' });
  });

  it('an expiry that the code catches is an ExpiredError', async () => {
    const task = new FakeTask();
    let caught: unknown;
    const code = async (turn: Turn) => {
      await turn.ask('ok', { text: 'Pay?', onExpire: 'resume' }).catch((error: unknown) => {
        caught = error;
      });
    };
    await task.turn(code);
    task.expire();
    await task.turn(code);
    expect(caught).toBeInstanceOf(ExpiredError);
    expect(caught).toMatchObject({ question: 'ok', message: 'the question "ok" expired without an answer' });
  });

  it('two at once are asked one after the other', async () => {
    const task = new FakeTask();
    let seen: unknown;
    const code = async (turn: Turn) => {
      seen = await Promise.all([turn.ask('a', { text: 'A?' }), turn.ask('b', { text: 'B?' })]);
    };
    expect(await task.turn(code)).toMatchObject({ left: 'asked', call: 1, spec: { name: 'a' } });
    await settled();
    expect(task.asked).toHaveLength(1);
    task.answer({ text: '1' });
    expect(await task.turn(code)).toMatchObject({ left: 'asked', call: 2, spec: { name: 'b' } });
    task.answer({ text: '2' });
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(seen).toEqual(['1', '2']);
  });

  it('waits for the steps in flight, wherever they were called', async () => {
    const task = new FakeTask();
    const slow = async () => {
      for (let i = 0; i < 5; i++) await settled();
    };
    let runs = 0;
    const code = async (turn: Turn) => {
      await Promise.all([
        turn.step('before', slow),
        turn.ask('q', { text: 'Q?' }),
        turn.step('after', async () => {
          runs++;
          await slow();
        }),
      ]);
    };
    await task.turn(code);
    expect(task.recorded.sort()).toEqual(['step 1 before', 'step 3 after']);
    task.answer({ text: 'x' });
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(runs).toBe(1);
  });

  it.each([
    [{ text: 'x', expireIn: { hours: 1 } }, 'ask "q": "expireIn" is not an option'],
    [{ text: 'x', expiresIn: {} }, 'ask "q": expiresIn is no length of time, as in { hours: 24 }'],
    [
      { text: 'x', expiresIn: { hours: '24' } },
      'ask "q": expiresIn: hours is not a number of days, hours, minutes or seconds',
    ],
    [
      { text: 'x', expiresIn: { weeks: 1 } },
      'ask "q": expiresIn: weeks is not a number of days, hours, minutes or seconds',
    ],
    [
      { text: 'x', remind: [{ before: { hours: -1 } }] },
      'ask "q": remind.before: hours is not a number of days, hours, minutes or seconds',
    ],
    [{ text: 'x', onExpire: 'skip' }, 'ask "q": onExpire is "fail", "cancel", "resume" or { default: value }'],
    [{ text: 'x', onExpire: {} }, 'ask "q": onExpire is "fail", "cancel", "resume" or { default: value }'],
  ])('refuses %j when it asks', async (options, message) => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => void (await turn.ask('q', options as { text: string })));
    expect(left).toEqual({ left: 'threw', error: new AgentFault('BAD_QUESTION', message) });
    expect(task.asked).toEqual([]);
  });

  it('options that are not JSON are an error that names the path', async () => {
    const left = await new FakeTask().turn(async (turn) => {
      await turn.ask('q', { text: 'x', options: [{ value: 1, label: undefined as unknown as string }] });
    });
    expect(left).toMatchObject({
      error: { reason: 'NOT_JSON', message: 'not JSON: the options of ask "q": $[0].label is undefined' },
    });
  });
});

describe('tryAsk keeps the outcomes apart (R50, R92)', () => {
  const options = { text: 'OK?', schema: approval, onExpire: 'resume' } as const;
  const code =
    (see: (result: unknown) => void, withDefault = false) =>
    async (turn: Turn) => {
      see(await turn.tryAsk('ok', withDefault ? { ...options, onExpire: { default: { approved: true } } } : options));
    };

  it.each<[string, (task: FakeTask) => void, unknown]>([
    ['answered', (task) => task.answer({ approved: true }), { outcome: 'answered', value: { approved: true } }],
    ['declined', (task) => task.decline('no'), { outcome: 'declined', reason: 'no' }],
    ['declined without a reason', (task) => task.decline(), { outcome: 'declined' }],
    ['expired', (task) => task.expire(), { outcome: 'expired' }],
  ])('%s', async (_what, settle, expected) => {
    const task = new FakeTask();
    let seen: unknown;
    await task.turn(code((result) => (seen = result)));
    settle(task);
    expect(await task.turn(code((result) => (seen = result)))).toEqual({ left: 'returned' });
    expect(seen).toEqual(expected);
  });

  it('defaulted: never shown as an answer', async () => {
    const task = new FakeTask();
    let seen: unknown;
    await task.turn(code((result) => (seen = result), true));
    task.expire();
    await task.turn(code((result) => (seen = result), true));
    expect(seen).toEqual({ outcome: 'defaulted', value: { approved: true } });
  });
});
