import { describe, expect, it } from 'vitest';
import { AgentFault } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { QUESTION_EXTENSION_URI } from '../../../core/question/extension.ts';
import { openQuestion } from '../../../core/question/open-question.ts';
import { questionData } from '../../../core/question/question-data.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { asking, costCentre, costCentreSchema, place } from './asking.ts';

describe('openQuestion (section 6)', () => {
  it('asks the worked example with a text and a data part that are each complete (R61)', () => {
    const { ask, message } = openQuestion(costCentre, place);
    expect(message).toEqual({
      messageId: 'q-abcdefghijklmnop-1',
      taskId: 'abcdefghijklmnopqrstuvwxyz',
      contextId: 'ctx-1',
      role: 'ROLE_AGENT',
      parts: [
        { text: 'Which cost centre should this expense be charged to?' },
        {
          mediaType: 'application/json',
          data: {
            questionId: 'q-abcdefghijklmnop-1',
            name: 'cost-centre',
            expires: '2026-12-01T09:00:00.000Z',
            answerSchema: {
              type: 'object',
              properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
              required: ['costCentre'],
            },
            options: ['CC-4410', 'CC-4420'],
            attempt: 1,
            maxAttempts: 3,
          },
        },
      ],
      extensions: ['https://askback.dev/a2a/extensions/question/v1'],
    });
    expect(ask).toEqual({
      call: 3,
      name: 'cost-centre',
      ask: 1,
      questionId: 'q-abcdefghijklmnop-1',
      attempt: 1,
      maxAttempts: 3,
      expiresAtMs: 1_796_115_600_000,
      onExpire: { then: 'fail' },
    });
    expect(QUESTION_EXTENSION_URI).toBe('https://askback.dev/a2a/extensions/question/v1');
  });

  it('reads back from the status message', () => {
    expect(questionData(asking({}).message).questionId).toBe('q-abcdefghijklmnop-1');
    expect(() => questionData({ messageId: 'm', role: 'ROLE_USER', parts: [{ data: { a: 1 } }] })).toThrow(
      'message m asks no question',
    );
  });

  it('asks for text when there is no schema', () => {
    const { ask, message } = asking({});
    expect(ask.wrapped).toBeUndefined();
    expect(questionData(message).answerSchema).toEqual({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    });
  });

  const wrapped: readonly [string, JsonObject, JsonObject][] = [
    ['a string', { type: 'string' }, { type: 'string' }],
    ['a nullable object', { type: ['object', 'null'] }, { type: ['object', 'null'] }],
    ['anything', {}, {}],
    ['alternatives', { anyOf: [{ type: 'object' }] }, { anyOf: [{ type: 'object' }] }],
    [
      'references, which follow the move; values that look like references, which do not',
      {
        $id: 'https://x.example/s',
        type: 'array',
        items: { $ref: '#/$defs/a' },
        $defs: { a: { enum: [{ $ref: '#/x' }] } },
      },
      { type: 'array', items: { $ref: '#/properties/value/$defs/a' }, $defs: { a: { enum: [{ $ref: '#/x' }] } } },
    ],
  ];
  it.each(wrapped)('wraps a root that is no object as the required property value: %s', (_name, schema, inside) => {
    const { ask, message } = asking({ schema });
    expect(ask.wrapped).toBe(true);
    expect(questionData(message).answerSchema).toEqual({
      type: 'object',
      properties: { value: inside },
      required: ['value'],
    });
  });

  it('takes a root with properties and no type for an object, and follows a reference at the root', () => {
    const untyped = asking({ schema: { properties: { a: {} } } });
    expect(untyped.ask.wrapped).toBeUndefined();
    expect(questionData(untyped.message).answerSchema).toEqual({ type: 'object', properties: { a: {} } });
    const schema = { $ref: '#/$defs/it', $defs: { it: { type: 'object', required: ['a'] } } };
    const referred = asking({ schema });
    expect(referred.ask.wrapped).toBeUndefined();
    expect(questionData(referred.message).answerSchema).toEqual(schema);
  });

  it('always has an expiry: 24 h, at most 30 days (R48)', () => {
    expect(questionData(asking({}).message).expires).toBe('2026-12-01T09:00:00.000Z');
    expect(questionData(asking({ expiresInMs: 2_592_000_000 }).message).expires).toBe('2026-12-30T09:00:00.000Z');
    expect(questionData(asking({ expiresInMs: 1_000 }).message).expires).toBe('2026-11-30T09:00:01.000Z');
  });

  it('shows when reminders go out, earliest first and each once', () => {
    const { message } = asking({ remindBeforeMs: [3_600_000, 7_200_000, 3_600_000] });
    expect(questionData(message).remindAt).toEqual(['2026-12-01T07:00:00.000Z', '2026-12-01T08:00:00.000Z']);
  });

  it('gives options by property as a list when they are for the only required property', () => {
    const list = asking({ schema: costCentreSchema, options: { costCentre: ['CC-4410'] } });
    expect(questionData(list.message).options).toEqual(['CC-4410']);
    const schema: JsonObject = { type: 'object', properties: { a: {}, b: {} }, required: ['a'] };
    const byProperty = asking({ schema, options: { a: [1], b: [2] } });
    expect(questionData(byProperty.message).options).toEqual({ a: [1], b: [2] });
  });

  it('says allowOther only beside options', () => {
    expect(questionData(asking({ ...costCentre, allowOther: true }).message).allowOther).toBe(true);
    expect(questionData(asking({ ...costCentre, options: [], allowOther: true }).message)).not.toHaveProperty(
      'options',
    );
    expect(questionData(asking({ allowOther: true }).message)).not.toHaveProperty('allowOther');
  });

  it('remembers which properties are secret', () => {
    const secret: JsonObject = { type: 'string', writeOnly: true };
    const properties = {
      user: { type: 'string' },
      password: secret,
      pin: { $ref: '#/$defs/pin' },
      code: { $ref: '#/$defs/pin', minLength: 4 },
    };
    expect(asking({ schema: { type: 'object', properties, $defs: { pin: secret } } }).ask.secret).toEqual([
      'password',
      'pin',
      'code',
    ]);
    expect(asking({ schema: secret }).ask.secret).toEqual(['value']);
    expect(asking({ schema: costCentreSchema }).ask).not.toHaveProperty('secret');
  });

  it('accepts a default at expiry that the schema accepts, wrapped or not', () => {
    const object = { then: 'default', value: { costCentre: 'CC-0000' } } as const;
    expect(asking({ schema: costCentreSchema, onExpire: object }).ask.onExpire).toEqual(object);
    for (const value of [false, true] as const) {
      const onExpire = { then: 'default', value } as const;
      expect(asking({ schema: { type: 'boolean' }, onExpire }).ask.onExpire).toEqual(onExpire);
    }
  });
});

const many = Array.from({ length: 101 }, (_, n) => n);
const secretSchema: JsonObject = {
  type: 'object',
  properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } },
};
const twoRequired: JsonObject = { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] };

const mistakes: readonly [string, Partial<AskSpec>, string][] = [
  [
    'an option that the schema refuses (R63)',
    { ...costCentre, options: ['CC-4410', 'CC-44'] },
    'option 2 of costCentre ("CC-44") is refused by the schema: /costCentre: does not match ^CC-[0-9]{4}$',
  ],
  [
    'a labelled option that the schema refuses',
    { schema: { type: 'integer' }, options: [{ value: '1', label: 'One' }] },
    'option 1 of value ("1") is refused by the schema: /value: expected an integer',
  ],
  [
    'an option that the root refuses (R63)',
    {
      schema: {
        type: 'object',
        properties: { a: {} },
        required: ['a'],
        allOf: [{ properties: { a: { type: 'string' } } }],
      },
      options: [1],
    },
    'option 1 of a (1) is refused by the schema: /a: expected a string',
  ],
  ['no option at all', { ...costCentre, options: [] }, 'the options of costCentre are empty: nothing can be chosen'],
  [
    'an option twice',
    { ...costCentre, options: ['CC-4410', { value: 'CC-4410', label: 'Travel' }] },
    'option 2 of costCentre is there twice',
  ],
  ['too many options', { schema: { type: 'integer' }, options: many }, 'the options: expected at most 100 items'],
  [
    'too large options',
    { schema: { type: 'string' }, options: ['x'.repeat(16_384)] },
    'the options: expected at most 16384 bytes of JSON',
  ],
  [
    'a list of options for two required properties',
    { schema: twoRequired, options: [1] },
    'options as a list need exactly one required property, and the schema has 2',
  ],
  [
    'options of an unknown property',
    { schema: twoRequired, options: { c: [1] } },
    'the options are for c, which is not a property of the schema',
  ],
  [
    'options that are no lists',
    { schema: twoRequired, options: { a: 1 } as never },
    'the options must be a list, or an object of lists by property',
  ],
  [
    'an option deeper than an answer may be',
    { schema: {}, options: [JSON.parse('['.repeat(17) + ']'.repeat(17))] },
    'levels of lists and objects',
  ],
  [
    'a reserved name',
    { schema: { type: 'object', properties: { decline: {} } } },
    'the schema uses the reserved property name decline',
  ],
  [
    'a default that the schema refuses',
    { schema: costCentreSchema, onExpire: { then: 'default', value: { costCentre: 'none' } } },
    'the default at expiry is refused by the schema: /costCentre: does not match ^CC-[0-9]{4}$',
  ],
  [
    'a default for a wrapped schema that it refuses',
    { schema: { type: 'integer' }, onExpire: { then: 'default', value: '5' } },
    'the default at expiry is refused by the schema: /value: expected an integer',
  ],
  [
    'a secret default',
    { schema: secretSchema, onExpire: { then: 'default', value: { password: 'x' } } },
    'the default at expiry must not hold the writeOnly property password',
  ],
  [
    'a large default',
    { onExpire: { then: 'default', value: { text: 'x'.repeat(2_048) } } },
    'the default at expiry: expected at most 2048 bytes of JSON',
  ],
  [
    'long names of secrets',
    { schema: { type: 'object', properties: { ['s'.repeat(1_021)]: { type: 'string', writeOnly: true } } } },
    'the names of writeOnly properties have more than 1024 bytes together',
  ],
  [
    'parseText for a secret',
    { schema: secretSchema, parsesText: true },
    'parseText cannot be used with writeOnly properties',
  ],
  [
    'more than 30 days (R48)',
    { expiresInMs: 2_592_000_001 },
    'expiresIn must be a whole number from 1000 to 2592000000 ms, not 2592000001',
  ],
  ['less than a second', { expiresInMs: 999 }, 'expiresIn must be'],
  ['an expiry that is no number', { expiresInMs: Number.NaN }, 'expiresIn must be'],
  ['no attempt', { maxAttempts: 0 }, 'maxAttempts must be a whole number from 1 to 10, not 0'],
  ['eleven attempts', { maxAttempts: 11 }, 'maxAttempts must be'],
  ['a reminder before the question', { remindBeforeMs: [86_400_000] }, 'remind.before must be'],
  ['six reminders', { remindBeforeMs: [1, 2, 3, 4, 5, 6] }, 'at most 5 reminders are possible'],
  ['no text', { text: ' ' }, 'the text must say what is asked'],
  ['a long text', { text: 'é'.repeat(4_097) }, 'the text is longer than 8192 bytes'],
  ['a long name', { name: 'n'.repeat(129) }, 'the name must be a string of 1 to 128 characters'],
];

describe("the asker's mistakes fail at ask time (section 6)", () => {
  it.each(mistakes)('%s', (_name, spec, what) => {
    const given = { name: 'it', ...spec };
    const open = () => asking(given);
    expect(open).toThrow(AgentFault);
    expect(open).toThrow(`question "${given.name}": `);
    expect(open).toThrow(what);
    try {
      open();
    } catch (error) {
      expect((error as AgentFault).reason).toBe('BAD_QUESTION');
    }
  });
});
