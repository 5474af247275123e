/** `parseText`, `check` and a library schema's own check run before `ask` returns, once (design 6 and 7). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RefuseAnswer } from '../../agent/errors.ts';
import type { AskOptions } from '../../agent/question.ts';
import type { Turn } from '../../agent/turn.ts';
import { FakeTask } from './fake-host.ts';

const amountSchema = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
} as const;

/** Asks, takes the answer given by `answer`, and replays once more behind a later question. */
async function asked<T>(ask: (turn: Turn) => Promise<T>, answer: (task: FakeTask) => void) {
  const task = new FakeTask();
  const seen: T[] = [];
  const code = async (turn: Turn) => {
    seen.push(await ask(turn));
    await turn.ask('later', { text: 'Later?' });
  };
  await task.turn(code);
  answer(task);
  const left = await task.turn(code);
  if (left.left === 'asked') {
    task.answer({ text: 'yes' });
    expect(await task.turn(code)).toEqual({ left: 'returned' });
  }
  return { task, left, seen, code };
}

describe('check', () => {
  it('accepts, and does not run again on replay', async () => {
    let runs = 0;
    const { seen, task } = await asked(
      (turn) =>
        turn.ask('amount', {
          text: 'How much?',
          schema: amountSchema,
          check: ({ amount }) => {
            runs++;
            return amount > 100 ? 'at most 100' : undefined;
          },
        }),
      (one) => one.answer({ amount: 42 }),
    );
    expect(seen).toEqual([{ amount: 42 }, { amount: 42 }]);
    expect(runs).toBe(1);
    expect(task.recorded).toEqual(['ask 1 amount']);
  });

  const refusals: [what: string, check: NonNullable<AskOptions['check']>, errors: unknown][] = [
    ['a returned text', () => 'too much', [{ pointer: '/text', message: 'too much' }]],
    [
      'a returned list',
      () => ['one', { pointer: '/0', message: 'two' }],
      [
        { pointer: '/text', message: 'one' },
        { pointer: '/text/0', message: 'two' },
      ],
    ],
    ['a returned RefuseAnswer', () => new RefuseAnswer('no'), [{ pointer: '/text', message: 'no' }]],
    [
      'a thrown RefuseAnswer',
      async () => {
        throw new RefuseAnswer({ pointer: '', message: 'no' });
      },
      [{ pointer: '/text', message: 'no' }],
    ],
  ];
  it.each(refusals)('%s asks again', async (_what, check, errors) => {
    const { left, seen } = await asked(
      (turn) => turn.ask('q', { text: 'Q?', check }),
      (task) => task.answer({ text: 'x' }),
    );
    expect(left).toEqual({ left: 'reasked', call: 1, errors });
    expect(seen).toEqual([]);
  });

  it('after a re-ask judges the new answer', async () => {
    const { task, code, seen } = await asked(
      (turn) =>
        turn.ask('amount', {
          text: 'How much?',
          schema: amountSchema,
          check: ({ amount }) => (amount > 100 ? { pointer: '/amount', message: 'at most 100' } : null),
        }),
      (one) => one.answer({ amount: 500 }),
    );
    task.answer({ amount: 50 });
    expect(await task.turn(code)).toMatchObject({ left: 'asked', spec: { name: 'later' } });
    expect(seen).toEqual([{ amount: 50 }]);
  });

  it('at most 20 errors are told', async () => {
    const { left } = await asked(
      (turn) => turn.ask('q', { text: 'Q?', schema: amountSchema, check: () => new Array(30).fill('no') as string[] }),
      (task) => task.answer({ amount: 1 }),
    );
    expect(left.left === 'reasked' && left.errors.length).toBe(20);
  });

  it('that throws anything else throws it to the code, and nothing is recorded', async () => {
    const { left, task } = await asked(
      (turn) =>
        turn.ask('q', {
          text: 'Q?',
          check: () => {
            throw new Error('directory down');
          },
        }),
      (one) => one.answer({ text: 'x' }),
    );
    expect(left).toEqual({ left: 'threw', error: new Error('directory down') });
    expect(task.recorded).toEqual([]);
  });

  it.each([[true], [false], [7], [{ message: 'x' }]])('that returns %j is an error that says so', async (result) => {
    const { left } = await asked(
      (turn) => turn.ask('q', { text: 'Q?', check: () => result as unknown as string }),
      (task) => task.answer({ text: 'x' }),
    );
    expect(left).toMatchObject({ error: { reason: 'BAD_CALL', message: expect.stringContaining('check of ask "q"') } });
  });

  it('may not make calls on the turn', async () => {
    const { left } = await asked(
      (turn) => turn.ask('q', { text: 'Q?', check: async () => void (await turn.now()) }),
      (task) => task.answer({ text: 'x' }),
    );
    expect(left).toMatchObject({ error: { message: 'now was called inside ask "q": call it outside' } });
  });

  it('does not judge the default', async () => {
    const { seen } = await asked(
      (turn) => turn.ask('q', { text: 'Q?', check: () => 'never right', onExpire: { default: 'mine' } }),
      (task) => task.expire(),
    );
    expect(seen).toEqual(['mine', 'mine']);
  });

  it('of a question with writeOnly properties runs in every turn: the answer enters no open record', async () => {
    let runs = 0;
    const { seen, task } = await asked(
      (turn) =>
        turn.ask('pin', {
          text: 'PIN?',
          schema: { type: 'object', properties: { pin: { type: 'string', writeOnly: true } }, required: ['pin'] },
          check: () => void runs++,
        }),
      (one) => one.answer({ pin: '1234' }),
    );
    expect(seen).toEqual([{ pin: '1234' }, { pin: '1234' }]);
    expect(runs).toBe(2);
    expect(task.recorded).toEqual([]);
  });
});

describe('parseText', () => {
  const parse = (parseText: (text: string) => unknown, more: object = {}) =>
    asked(
      (turn) =>
        turn.ask('amount', {
          text: 'How much?',
          schema: amountSchema,
          parseText: parseText as (text: string) => { amount: number },
          ...more,
        }),
      (task) => task.answerText('about forty'),
    );

  it('reads the text once; the replay has the value', async () => {
    const texts: string[] = [];
    const { seen, task } = await parse((text) => {
      texts.push(text);
      return { amount: 40 };
    });
    expect(seen).toEqual([{ amount: 40 }, { amount: 40 }]);
    expect(texts).toEqual(['about forty']);
    expect(task.recorded).toEqual(['ask 1 amount']);
  });

  it.each<[string, (text: string) => unknown]>([
    ['returned', () => new RefuseAnswer('a number, please')],
    ['thrown', () => Promise.reject(new RefuseAnswer('a number, please'))],
  ])('a %s refusal asks again', async (_what, parseText) => {
    const { left } = await parse(parseText);
    expect(left).toEqual({ left: 'reasked', call: 1, errors: [{ pointer: '', message: 'a number, please' }] });
  });

  it('what it makes of the text must satisfy the schema', async () => {
    const { left } = await parse(() => ({ amount: 'forty' }));
    expect(left).toMatchObject({ left: 'reasked', errors: [{ pointer: '/amount' }] });
  });

  it('what it makes of the text must be among the options', async () => {
    const { left } = await parse(() => ({ amount: 40 }), { options: [10, 20] });
    expect(left).toMatchObject({
      left: 'reasked',
      errors: [{ pointer: '/amount', message: 'expected one of 10, 20' }],
    });
    expect((await parse(() => ({ amount: 40 }), { options: [10, 20], allowOther: true })).left).toMatchObject({
      left: 'asked',
    });
  });

  it('of a schema that is no object: the errors point into the answer on the wire', async () => {
    const { left } = await asked(
      (turn) => turn.ask('n', { text: 'N?', schema: { type: 'integer' }, parseText: () => 1.5 }),
      (task) => task.answerText('x'),
    );
    expect(left).toMatchObject({ left: 'reasked', errors: [{ pointer: '/value' }] });
  });

  it('that is gone from the code is changed code', async () => {
    const task = new FakeTask();
    await task.turn(async (turn) => void (await turn.ask('q', { text: 'Q?', parseText: (text) => text })));
    task.answerText('x');
    expect(await task.turn(async (turn) => void (await turn.ask('q', { text: 'Q?' })))).toMatchObject({
      error: { reason: 'CODE_CHANGED' },
    });
  });
});

describe("a library's schema", () => {
  const schema = z
    .object({ from: z.iso.date(), to: z.iso.date(), nights: z.string().transform(Number).optional() })
    .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' });

  it('has its refinements run and its transformations recorded', async () => {
    const { seen, task } = await asked(
      (turn) => turn.ask('stay', { text: 'When?', schema }),
      (one) => one.answer({ from: '2026-12-01', to: '2026-12-04', nights: '3' }),
    );
    const expected = { from: '2026-12-01', to: '2026-12-04', nights: 3 };
    expect(seen).toEqual([expected, expected]);
    expect(task.recorded).toEqual(['ask 1 stay']);
  });

  it('that refuses asks again, with its path', async () => {
    const { left } = await asked(
      (turn) => turn.ask('stay', { text: 'When?', schema }),
      (task) => task.answer({ from: '2026-12-04', to: '2026-12-01' }),
    );
    expect(left).toEqual({ left: 'reasked', call: 1, errors: [{ pointer: '/to', message: 'must be after from' }] });
  });

  it('that is no object: the errors point into the answer on the wire', async () => {
    const even = z.int().refine((n) => n % 2 === 0, 'must be even');
    const { left } = await asked(
      (turn) => turn.ask('n', { text: 'N?', schema: even }),
      (task) => task.answer(3),
    );
    expect(left).toEqual({ left: 'reasked', call: 1, errors: [{ pointer: '/value', message: 'must be even' }] });
  });

  it('makes of the default what it makes of an answer', async () => {
    const { seen } = await asked(
      (turn) =>
        turn.tryAsk('stay', {
          text: 'When?',
          schema,
          onExpire: { default: { from: '2026-12-01', to: '2026-12-02', nights: '1' } },
        }),
      (task) => task.expire(),
    );
    const expected = { outcome: 'defaulted', value: { from: '2026-12-01', to: '2026-12-02', nights: 1 } };
    expect(seen).toEqual([expected, expected]);
  });

  it('whose result is not JSON is an error that names the path', async () => {
    const dated = z.object({ on: z.string().transform((text) => new Date(text)) });
    const { left } = await asked(
      (turn) => turn.ask('when', { text: 'When?', schema: dated }),
      (task) => task.answer({ on: '2026-12-01' }),
    );
    expect(left).toMatchObject({
      error: {
        reason: 'NOT_JSON',
        message: 'not JSON: the answer to ask "when": $.on is a Date, not a plain object',
      },
    });
  });
});
