/** A library's schema goes to the caller as JSON Schema that the question convention accepts (design 6 and 7). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnswerSchema, jsonSchemaOf } from '../../agent/schema.ts';
import { openQuestion } from '../../core/question/open-question.ts';
import { questionData } from '../../core/question/question-data.ts';

const place = { taskId: 'abcdefghijklmnopqrstuvwxyz', contextId: 'c', call: 1, ask: 1, question: 1, nowMs: 0 };

const schemas: [string, AnswerSchema, unknown][] = [
  [
    'optional, default and nullable properties',
    z.object({ a: z.string(), b: z.number().optional(), c: z.string().default('x'), d: z.string().nullable() }),
    {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'number' },
        c: { default: 'x', type: 'string' },
        d: { type: ['string', 'null'] },
      },
      required: ['a', 'd'],
    },
  ],
  ['a strict object', z.strictObject({ a: z.boolean() }), expect.objectContaining({ additionalProperties: false })],
  ['an optional root', z.string().optional(), { type: 'string' }],
  ['an enum that may be null', z.enum(['a', 'b']).nullable(), expect.anything()],
  ['an integer', z.int(), { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }],
  [
    'an e-mail address',
    z.object({ to: z.email() }),
    expect.objectContaining({ properties: { to: { type: 'string', format: 'email' } } }),
  ],
  [
    'a date',
    z.object({ on: z.iso.date() }),
    expect.objectContaining({ properties: { on: { type: 'string', format: 'date' } } }),
  ],
  ['a time stamp', z.iso.datetime(), { type: 'string', format: 'date-time' }],
  ['a time of day', z.iso.time(), expect.objectContaining({ type: 'string' })],
  ['a UUID', z.uuid(), { type: 'string', format: 'uuid' }],
  ['a format of its own', z.cuid2(), { type: 'string' }],
  ["the author's own pattern", z.string().regex(/^CC-[0-9]{4}$/), { type: 'string', pattern: '^CC-[0-9]{4}$' }],
  [
    'a property called format',
    z.object({ format: z.string(), pattern: z.string() }),
    expect.objectContaining({ required: ['format', 'pattern'] }),
  ],
  ['a list', z.array(z.email()).max(3), { type: 'array', maxItems: 3, items: { type: 'string', format: 'email' } }],
  ['a tuple', z.tuple([z.string(), z.number()]), expect.anything()],
  ['a record', z.record(z.string(), z.number()), expect.anything()],
  ['a union', z.union([z.string(), z.number()]), expect.anything()],
  [
    'kinds told apart by a property',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })]),
    expect.anything(),
  ],
  ['a transformation', z.string().transform(Number), { type: 'string' }],
  ['a library without classes', functionSchema(), { type: 'number' }],
];

/** arktype's schemas are functions. */
function functionSchema(): AnswerSchema {
  return Object.assign(() => undefined, {
    '~standard': { validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({ type: 'number' }) } },
  });
}

describe('a Standard Schema', () => {
  it.each(schemas)('%s', (_what, schema, expected) => {
    const json = jsonSchemaOf(schema, 'ask "q"');
    expect(json).toEqual(expected);
    const { message } = openQuestion({ name: 'q', text: 'Q?', schema: json }, place);
    expect(questionData(message).answerSchema.type).toBe('object');
  });

  it.each([
    ['no JSON form', z.date(), 'the schema of ask "q" has no JSON Schema: Date cannot be represented in JSON Schema'],
    [
      'no converter',
      { '~standard': { validate: () => ({ value: 1 }) } } as unknown as AnswerSchema,
      'the schema of ask "q" is of a library that gives no JSON Schema',
    ],
  ])("with %s is the asker's mistake", (_what, schema, message) => {
    expect(() => jsonSchemaOf(schema, 'ask "q"')).toThrow(expect.objectContaining({ reason: 'BAD_QUESTION', message }));
  });

  it('that is a literal stays as it is', () => {
    const literal = { type: 'string', format: 'date', pattern: '^2026' } as const;
    expect(jsonSchemaOf(literal, 'ask "q"')).toEqual(literal);
  });
});
