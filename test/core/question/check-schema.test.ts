import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../core/json.ts';
import { checkSchema } from '../../../core/question/check-schema.ts';

function nested(levels: number): JsonObject {
  return levels === 1 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };
}

/** `levels` references, each used twice by the one before: 2^levels nodes once expanded, a few hundred bytes before. */
function doubling(levels: number): JsonObject {
  const defs = Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [
      `d${n}`,
      n === levels - 1 ? { type: 'string' } : { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  return { $ref: '#/$defs/d0', $defs: defs };
}

const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

const refused: readonly [string, Json, string][] = [
  ['false', false, 'the schema accepts no answer'],
  ['a string', 'string', 'the schema must be an object or a boolean'],
  ['over 16 KB', { description: 'x'.repeat(16_384) }, 'expected at most 16384 bytes of JSON'],
  [
    '1 MB (R73)',
    { enum: Array.from({ length: 10_000 }, () => 'x'.repeat(100)) },
    'expected at most 16384 bytes of JSON',
  ],
  ['21 schemas deep', nested(21), 'is more than 20 schemas deep'],
  ['5,000 levels of JSON', { const: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) }, 'levels of lists and objects'],
  [
    '1,001 nodes',
    { anyOf: Array.from({ length: 1_000 }, () => ({})) },
    'has more than 1000 nodes once references are expanded',
  ],
  ['an anyOf bomb through references (R73)', doubling(16), 'has more than 1000 nodes once references are expanded'],
  [
    'a remote reference',
    { $ref: 'https://example.com/schema.json' },
    'the schema at /$ref must be a JSON Pointer within the schema',
  ],
  [
    'a relative reference',
    object({ a: { $ref: 'other.json' } }),
    'the schema at /properties/a/$ref must be a JSON Pointer',
  ],
  ['a reference to an anchor', { $ref: '#name' }, 'must be a JSON Pointer within the schema'],
  ['a reference that is no string', { $ref: 5 }, 'the schema at /$ref must be a string'],
  ['a badly encoded reference', { $ref: '#/$defs/%E0' }, 'is not a well-formed reference'],
  ['a reference to nothing', { $ref: '#/$defs/a' }, 'the schema at /$ref leads nowhere: #/$defs/a'],
  ['a reference to an inherited name', { $ref: '#/constructor' }, 'leads nowhere'],
  ['a reference to a value', { enum: ['x'], $ref: '#/enum' }, 'does not lead to a schema'],
  [
    'a circular reference',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    'leads back to itself',
  ],
  ['a recursive schema', object({ child: { $ref: '#' } }), 'leads back to itself; recursive schemas are not supported'],
  [
    'a recursion through an encoded pointer',
    { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/%24defs/a' } } } },
    'leads back to itself',
  ],
  ['$dynamicRef', { $dynamicRef: '#a' }, 'the schema at /$dynamicRef is not supported'],
  ['$recursiveRef', { $recursiveRef: '#' }, 'recursive schemas are not supported'],
  ['$async', { $async: true }, 'the schema at /$async is not part of JSON Schema'],
  ['nullable', object({ a: { type: 'string', nullable: true } }), 'list "null" in type'],
  [
    'another dialect',
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    'must be https://json-schema.org/draft/2020-12/schema',
  ],
  ['a tuple in the old spelling', { items: [{}] }, 'the schema at /items must be a schema'],
  ['a boolean exclusiveMinimum', { exclusiveMinimum: true }, 'the schema at /exclusiveMinimum must be a number'],
  ['an unknown type', object({ a: { type: 'text' } }), 'the schema at /properties/a/type must be one of null, boolean'],
  ['an empty enum', { enum: [] }, 'must be a list of at least one value'],
  ['required that is no list', { type: 'object', required: 'a' }, 'must be a list of different strings'],
  ['a property that is no schema', { type: 'object', properties: { a: 5 } }, 'must be an object of schemas'],
  ['multipleOf 0', { multipleOf: 0 }, 'must be a number greater than 0'],
  ['a schema with an id of its own', object({ a: { $id: 'https://x.example/a' } }), 'must not have an $id'],
  [
    'uniqueItems without maxItems',
    object({ a: { type: 'array', uniqueItems: true } }),
    'the schema at /properties/a has uniqueItems without maxItems',
  ],
  [
    'a pattern that blows up (R73)',
    object({ a: { pattern: '^(a+)+$' } }),
    'the schema at /properties/a/pattern can take exponential time',
  ],
  [
    'a property pattern that blows up',
    { patternProperties: { '^(a+)+$': {} } },
    'the schema at /patternProperties/^(a+)+$ can take exponential time',
  ],
  [
    'a bad pattern where nothing refers to',
    { $defs: { a: { pattern: '(' } } },
    'the schema at /$defs/a/pattern is not a regular expression',
  ],
  [
    'a bad pattern where only a reference looks',
    { $ref: '#/x-more/a', 'x-more': { a: { pattern: '(' } } },
    'the schema at /x-more/a/pattern is not a regular expression',
  ],
  ['questionId', object({ questionId: { type: 'string' } }), 'uses the reserved property name questionId'],
  [
    'decline in a branch',
    { type: 'object', anyOf: [object({ decline: {} })] },
    'the schema at /anyOf/0 uses the reserved property name decline',
  ],
  ['questionId required', { type: 'object', required: ['questionId'] }, 'uses the reserved property name questionId'],
  [
    'a property named __proto__',
    JSON.parse('{"type":"object","properties":{"__proto__":{}}}'),
    'the property name __proto__ is not allowed',
  ],
  ['writeOnly at the root', { type: 'object', writeOnly: true }, 'put it on properties'],
  [
    'writeOnly below the root',
    object({ a: object({ b: { writeOnly: true } }) }),
    'only direct properties of the root can be secret',
  ],
  [
    'writeOnly in a branch of the root',
    { type: 'object', anyOf: [object({ a: { writeOnly: true } })] },
    'has writeOnly below the root',
  ],
  ['writeOnly in a wrapped schema', { type: 'array', items: { writeOnly: true } }, 'has writeOnly below the root'],
  ['what is no JSON', { const: undefined } as unknown as Json, 'expected JSON'],
];

describe('checkSchema refuses (section 6)', () => {
  it.each(refused)('%s', (_name, schema, what) => {
    expect(() => checkSchema(schema)).toThrow(what);
  });

  it('a schema that holds itself, or shares itself 2^50 times', () => {
    const circular: Record<string, unknown> = {};
    circular.not = circular;
    expect(() => checkSchema(circular as JsonObject)).toThrow('levels of lists and objects');
    let shared: JsonObject = {};
    for (let n = 0; n < 20; n++) shared = { anyOf: [shared, shared, shared, shared] };
    expect(() => checkSchema(shared)).toThrow('expected at most 16384 bytes of JSON');
  });
});

const accepted: readonly [string, Json][] = [
  ['true', true],
  ['20 schemas deep', nested(20)],
  ['1,000 nodes', { anyOf: Array.from({ length: 999 }, () => ({})) }],
  ['a few references', doubling(8)],
  [
    'a reference used twice',
    { ...object({ a: { $ref: '#/$defs/s' }, b: { $ref: '#/$defs/s' } }), $defs: { s: { type: 'string' } } },
  ],
  ['the dialect by name', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }],
  ['uniqueItems with maxItems', { type: 'array', uniqueItems: true, maxItems: 10 }],
  ['annotations of others', { type: 'string', 'x-ui': { widget: 'radio' }, example: 'a' }],
  ['an unknown format', { type: 'string', format: 'iban' }],
  ['reserved names below the root', object({ a: object({ questionId: {}, decline: {} }) })],
  ['names of Object.prototype', object({ constructor: { type: 'string' }, toString: {}, hasOwnProperty: {} })],
  ['what only looks like a reference', { const: { $ref: 'https://example.com' } }],
  ['writeOnly: false', object({ a: object({ b: { writeOnly: false } }) })],
];

describe('checkSchema accepts', () => {
  it.each(accepted)('%s', (_name, schema) => {
    expect(() => checkSchema(schema)).not.toThrow();
  });
});

it('accepts the patterns that zod writes beside its formats', () => {
  const schema = z.object({
    email: z.email(),
    uuid: z.uuid(),
    date: z.iso.date(),
    dateTime: z.iso.datetime(),
    time: z.iso.time(),
    duration: z.iso.duration(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    base64: z.base64(),
    hostname: z.hostname(),
    size: z.enum(['S', 'L']).optional(),
    amount: z.union([z.number(), z.null()]),
  });
  expect(() => checkSchema(z.toJSONSchema(schema) as Json)).not.toThrow();
});
