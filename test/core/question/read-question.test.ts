/** Questions of other agents: what can be trusted is used, what cannot is left to its words (design 6, 12; R73). */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';
import { judgeForeignAnswer, onlyProperty, readForeignQuestion } from '../../../core/question/read-question.ts';

const schema = {
  type: 'object',
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['costCentre'],
};

function message(data: Json, text = 'Which one?'): Message {
  return { messageId: 'q-1', role: 'ROLE_AGENT', parts: [{ text }, { data }] };
}

const asked = (more: JsonObject = {}) =>
  readForeignQuestion(message({ questionId: 'q-1', answerSchema: schema, ...more }));

describe('a question of another agent', () => {
  it('is read whole where it follows the convention', () => {
    expect(
      asked({
        expires: '2027-01-15T09:00:00.000Z',
        options: ['CC-4410', 'CC-4420'],
        attempt: 2,
        maxAttempts: 3,
        errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
      }),
    ).toEqual({
      text: 'Which one?',
      questionId: 'q-1',
      schema,
      options: ['CC-4410', 'CC-4420'],
      allowOther: false,
      expiresAtMs: 1_800_003_600_000,
      attempt: 2,
      maxAttempts: 3,
      errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
    });
  });

  it.each([
    ['no message', undefined, ''],
    ['text only', { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'And?' }] } as const, 'And?'],
    ['data that asks nothing', message({ hello: 1 }), 'Which one?'],
    ['parts that are none', { messageId: 'm', role: 'ROLE_AGENT', parts: [null, 7] as never } as const, ''],
  ])('is its words where there is %s', (_what, given, text) => {
    expect(readForeignQuestion(given)).toEqual({ text, allowOther: true, attempt: 1, maxAttempts: 1, errors: [] });
  });

  it.each<[string, JsonObject, string]>([
    ['has no schema', { answerSchema: null }, 'it has no answerSchema'],
    ['has a schema of no object', { answerSchema: { type: 'string' } }, 'not an object'],
    ['has a pattern that can blow up', { answerSchema: { properties: { a: { pattern: '^(a+)+$' } } } }, 'pattern'],
    ['has a reference elsewhere', { answerSchema: { properties: { a: { $ref: 'https://x.example/s' } } } }, '$ref'],
    ['is too deep', { answerSchema: deep(200) }, 'deep'],
    ['is too large', { answerSchema: { properties: { a: { description: 'x'.repeat(17_000) } } } }, 'large'],
    ['has options that are no lists', { options: 'CC-4410' }, 'options'],
    ['has a thousand options', { options: Array.from({ length: 101 }, (_, n) => n) }, 'options'],
  ])('that %s keeps its id and its words, and says why', (_what, more, problem) => {
    const read = asked(more);
    expect(read).toMatchObject({ text: 'Which one?', questionId: 'q-1', problem: expect.stringContaining(problem) });
    expect(read.schema).toBeUndefined();
  });

  it('of which the id is no short string has none', () => {
    expect(asked({ questionId: 'x'.repeat(129) })).not.toHaveProperty('questionId');
    expect(asked({ questionId: 7 })).toMatchObject({ problem: 'its questionId is no short string' });
  });

  it('has bounded words and errors, whatever came', () => {
    const read = readForeignQuestion(
      message(
        {
          questionId: 'q-1',
          answerSchema: schema,
          errors: [...Array.from({ length: 50 }, () => ({ pointer: '/x'.repeat(999), message: 'y'.repeat(9_999) })), 7],
          attempt: -3,
          expires: 'soon',
        },
        'z'.repeat(99_999),
      ),
    );
    expect(read.text).toHaveLength(8_192);
    expect(read.errors).toHaveLength(20);
    expect(read.errors[0]).toEqual({ pointer: '', message: `${'y'.repeat(499)}…` });
    expect(read).toMatchObject({ attempt: 1, maxAttempts: 1 });
    expect(read).not.toHaveProperty('expiresAtMs');
  });
});

describe('an answer to it', () => {
  it('is held against its schema and its options', () => {
    const question = asked({ options: ['CC-4410'] });
    expect(judgeForeignAnswer(question, { costCentre: 'CC-4410' })).toEqual([]);
    expect(judgeForeignAnswer(question, { costCentre: 'CC-4420' })).toEqual([
      { pointer: '/costCentre', message: 'expected one of CC-4410' },
    ]);
    expect(judgeForeignAnswer(asked(), { costCentre: 4410 })).toMatchObject([{ pointer: '/costCentre' }]);
    expect(judgeForeignAnswer(asked({ options: ['CC-4410'], allowOther: true }), { costCentre: 'CC-4420' })).toEqual(
      [],
    );
  });

  it('without a schema may be anything', () => {
    expect(judgeForeignAnswer(readForeignQuestion(undefined), { any: [1] })).toEqual([]);
  });

  it('of one value stands for the one required property', () => {
    expect(onlyProperty(asked())).toBe('costCentre');
    expect(onlyProperty(asked({ answerSchema: { type: 'object', required: ['a', 'b'] } }))).toBeUndefined();
    expect(onlyProperty(readForeignQuestion(undefined))).toBeUndefined();
  });
});

function deep(levels: number): JsonObject {
  let nested: JsonObject = {};
  for (let level = 0; level < levels; level++) nested = { properties: { a: nested } };
  return nested;
}
