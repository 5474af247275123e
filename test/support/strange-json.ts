/** Arbitraries of what strangers may send where a question is expected, and what must not be left of it on a screen. */
import fc from 'fast-check';
import type { Json } from '../../core/json.ts';

/** Controls, invisible characters and those that turn the direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
export const UNFIT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

/** Names and texts: terminal sequences, names of prototypes, references, and any other. */
export const word = fc.oneof(
  fc.constantFrom(
    '\u001b[2J',
    '\u009b1m',
    '\u202e',
    '__proto__',
    'constructor',
    '',
    'value',
    'text',
    '#',
    '#/$defs/a',
    '^(a+)+$',
    'q-1',
    'TASK_STATE_INPUT_REQUIRED',
  ),
  fc.string({ maxLength: 20, unit: 'grapheme' }),
);

export const json = fc.oneof(fc.jsonValue({ maxDepth: 4 }), word) as fc.Arbitrary<Json>;

/** What looks like a schema, with anything in its places. */
export const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    json,
    fc.record(
      {
        type: fc.oneof(fc.constantFrom('object', 'string', 'array', 'number', 'boolean', 'null'), json),
        properties: fc.oneof(fc.dictionary(word, tie('schema'), { maxKeys: 3 }), json),
        required: fc.oneof(fc.array(word, { maxLength: 3 }), json),
        items: tie('schema'),
        enum: fc.oneof(fc.array(json, { maxLength: 3 }), json),
        pattern: fc.oneof(word, json),
        title: fc.oneof(word, json),
        description: fc.oneof(word, json),
        format: json,
        maxLength: json,
        writeOnly: json,
        $ref: fc.oneof(word, json),
        $defs: fc.dictionary(word, tie('schema'), { maxKeys: 2 }),
        allOf: fc.oneof(fc.array(tie('schema'), { maxLength: 2 }), json),
        anyOf: fc.oneof(fc.array(tie('schema'), { maxLength: 3 }), json),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ),
}));
