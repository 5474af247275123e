/** Questions of strangers: what is not safe is not used, and nothing hidden reaches a person (issue 6, item 4). */
import { describe, expect, test } from 'vitest';
import {
  checkAnswer,
  cleanLine,
  cleanText,
  type Json,
  type Question,
  readQuestion,
  type Task,
} from '../../client/index.ts';

const AGENT = { name: 'Agent', url: 'http://localhost:3000' };
const GOOD: Record<string, Json> = {
  questionId: 'q-abc-1',
  expires: '2026-12-01T09:30:00.000Z',
  answerSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  attempt: 1,
  maxAttempts: 3,
};

function asks(data: Json, text = 'Which city?') {
  const task = {
    id: 't',
    contextId: 'c',
    status: {
      state: 'TASK_STATE_INPUT_REQUIRED',
      timestamp: '2026-11-30T09:30:00.000Z',
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }, { data, mediaType: 'application/json' }] },
    },
  } as Task;
  return readQuestion(task, AGENT);
}

const deep = Array.from({ length: 60 }).reduce<Json>((inner) => ({ properties: { a: inner } }), {});
const bomb = {
  type: 'object',
  $defs: Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `d${n}`,
      { anyOf: n === 11 ? [{ type: 'string' }] : Array(4).fill({ $ref: `#/$defs/d${n + 1}` }) },
    ]),
  ),
  properties: { a: { $ref: '#/$defs/d0' } },
};

describe('a question that is not safe falls back to its words', () => {
  test.each<[string, Json, RegExp]>([
    ['a schema over 16 KB', { type: 'object', description: 'x'.repeat(17_000) }, /too large/],
    ['a schema too deep', { type: 'object', properties: { a: deep } }, /deep/],
    ['a remote reference', { type: 'object', properties: { a: { $ref: 'http://169.254.169.254/' } } }, /JSON Pointer/],
    ['a circular reference', { type: 'object', properties: { a: { $ref: '#' } } }, /leads back to itself/],
    ['a reference bomb', bomb, /nodes/],
    [
      'a large part referred to many times',
      {
        type: 'object',
        $defs: { big: { description: 'x'.repeat(10_000) } },
        properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { $ref: '#/$defs/big' }])),
      },
      /too large once/,
    ],
    ['a pattern that explodes', { type: 'object', properties: { a: { pattern: '^(a+)+$' } } }, /pattern/],
    ['uniqueItems without a bound', { type: 'object', properties: { a: { uniqueItems: true } } }, /maxItems/],
    ['a root that is no object', { type: 'string' }, /the root/],
    ['a reserved name', { type: 'object', properties: { decline: {} } }, /reserved/],
    ['a keyword of a wrong type', { type: 'object', properties: { a: { minLength: 'x' } } }, /minLength|whole|must/],
    ['no schema', null, /answerSchema/],
  ])('%s', (_what, answerSchema, problem) => {
    const before = performance.now();
    const question = asks({ ...GOOD, answerSchema });
    expect(question).toMatchObject({
      kind: 'free-text',
      text: 'Which city?',
      questionId: 'q-abc-1',
      key: 'q-abc-1',
      problem: expect.stringMatching(problem),
    });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test.each<[string, Record<string, Json>]>([
    ['options that are no lists', { options: { city: 'x' } }],
    ['101 options', { options: Array.from({ length: 101 }, (_, n) => n) }],
    ['an id that is no short string', { questionId: 'q'.repeat(129) }],
    ['an id that is no string', { questionId: 7 }],
  ])('%s', (_what, more) => {
    expect(asks({ ...GOOD, ...more })).toMatchObject({ kind: 'free-text', problem: expect.any(String) });
  });

  test('odd values elsewhere are left out', () => {
    const question = asks({ ...GOOD, expires: 'soon', attempt: -1, maxAttempts: 'many', errors: [7], prefill: 'x' });
    expect(question).toMatchObject({ kind: 'question', attempt: 1, maxAttempts: 1, errors: [] });
    expect(question).not.toHaveProperty('expiresAtMs');
    expect(question).not.toHaveProperty('prefill');
  });

  test('a status without a message, or with parts that are none, still asks', () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED', timestamp: 'x' } } as Task;
    expect(readQuestion(task, AGENT)).toMatchObject({
      kind: 'free-text',
      text: expect.stringContaining('does not say'),
    });
    const odd = { ...task, status: { ...task.status, message: { parts: [null, 7, {}] } } } as unknown as Task;
    expect(readQuestion(odd, AGENT).key).toMatch(/^status-/);
  });
});

describe('checking an answer', () => {
  const slow = asks({
    ...GOOD,
    answerSchema: {
      type: 'object',
      properties: { list: { type: 'array', uniqueItems: true, maxItems: 1_000, items: { type: 'object' } } },
    },
  }) as Question;

  test('ends in time, with a JSON Pointer to what is wrong', () => {
    const before = performance.now();
    checkAnswer(slow, { list: Array.from({ length: 1_000 }, (_, n) => ({ a: { b: { c: [n, n, n] } } })) });
    expect(performance.now() - before).toBeLessThan(5_000);
    const question = asks(GOOD) as Question;
    expect(checkAnswer(question, { city: 5 })).toEqual({
      ok: false,
      errors: [{ pointer: '/city', message: 'expected a string' }],
    });
  });

  test('never says again what stands in a secret property, nor keeps it as prefill', () => {
    const question = asks({
      ...GOOD,
      answerSchema: {
        type: 'object',
        properties: { user: { type: 'string' }, pin: { type: 'string', pattern: '^[0-9]+$', writeOnly: true } },
        required: ['user', 'pin'],
      },
    }) as Question;
    const checked = checkAnswer(question, { user: 'ann', pin: 'hunter2' });
    expect(checked).toMatchObject({ ok: false, prefill: { user: 'ann' } });
    expect(JSON.stringify(checked)).not.toContain('hunter2');
  });
});

describe('text for people', () => {
  test.each([
    ['a\u001b[31mred\u001b[0m', 'ared'],
    ['x\u001b]0;title\u0007y', 'xy'],
    ['x\u001b]8;;http://evil\u001b\\link', 'xlink'],
    ['\u009b2Jz', 'z'],
    ['a\u202egpj.exe', 'agpj.exe'],
    ['a\u2066b\u2069c\u200fd', 'abcd'],
    ['p\u200ba\u00ady', 'pay'],
    ['tag\u{e0041}\u{e007f}', 'tag'],
    ['a\r\nb\u2028c', 'a\nb\nc'],
    ['bell\u0007\b\u0000', 'bell'],
    ['half \ud800', 'half'],
    ['é 日本 👩‍👩‍👧 ok', 'é 日本 👩‍👩‍👧 ok'],
  ])('%j is shown as %j', (text, shown) => {
    expect(cleanText(text)).toBe(shown);
  });

  test('is bounded, and labels are one line', () => {
    expect(cleanText('x'.repeat(100_000))).toHaveLength(8_192);
    expect(cleanText('\u001b['.repeat(500_000))).toHaveLength(0);
    expect(cleanLine('a\n\n  b\tc')).toBe('a b c');
  });

  test('labels, descriptions and errors of a question are cleaned; what is sent is not', () => {
    const question = asks(
      {
        ...GOOD,
        answerSchema: {
          type: 'object',
          properties: { city: { type: 'string', title: 'Ci\u202ety', description: 'Where\u001b[2J?' } },
          required: ['city'],
        },
        options: [{ value: 'a\u202e', label: 'La\u0007bel', description: 'D\u200be' }, 'b\u001b[1m'],
        errors: [{ pointer: '/city', message: 'no\u001b[5m!' }],
      },
      'Which\u202e city?',
    );
    expect(question).toMatchObject({
      text: 'Which city?',
      errors: [{ pointer: '/city', message: 'no!' }],
      fields: [
        {
          label: 'City',
          description: 'Where?',
          options: [
            { value: 'a\u202e', label: 'Label', description: 'De' },
            { value: 'b\u001b[1m', label: 'b' },
          ],
        },
      ],
    });
  });
});
