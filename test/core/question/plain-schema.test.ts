/** Which schemas are checked without a time limit, and that the slowest of them is still quick. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import { isPlain } from '../../../core/question/plain-schema.ts';
import { prepare, runValidation } from '../../../core/question/validate.ts';

const text = { type: 'string', maxLength: 100 };

describe('a plain schema', () => {
  const plain: [string, JsonObject][] = [
    ['no keyword at all', {}],
    [
      'an object of simple properties',
      { type: 'object', required: ['a'], properties: { a: text, b: { type: 'integer' } } },
    ],
    ['closed objects and lists', { additionalProperties: false, properties: { list: { items: text, maxItems: 3 } } }],
    ['lists by place', { prefixItems: [text, { const: 1 }], items: false }],
    ['numbers and dates', { properties: { n: { multipleOf: 0.5, minimum: 0 }, at: { format: 'date-time' } } }],
    ['a small choice', { enum: [1, 2, 3] }],
  ];
  it.each(plain)('is one with %s', (_what, schema) => {
    expect(isPlain(schema)).toBe(true);
  });
});

describe('a schema that runs under the time limit', () => {
  const limited: [string, JsonObject][] = [
    ['a pattern', { properties: { a: { pattern: '^a+$' } } }],
    ['properties by pattern', { patternProperties: { '^a': true } }],
    ['names that are checked', { propertyNames: { maxLength: 3 } }],
    ['different items', { items: { type: 'integer' }, uniqueItems: true, maxItems: 5 }],
    ['alternatives', { properties: { a: { anyOf: [text, { type: 'integer' }] } } }],
    ['exclusive alternatives', { oneOf: [text] }],
    ['all of several', { allOf: [text] }],
    ['a negation', { items: { not: text } }],
    ['a condition', { if: text, then: true }],
    ['an item that must be there', { contains: text }],
    ['properties that depend', { dependentRequired: { a: ['b'] } }],
    ['schemas that depend', { dependentSchemas: { a: text } }],
    ['what nothing else looked at', { unevaluatedProperties: false }],
    ['items that nothing else looked at', { unevaluatedItems: false }],
    ['a format that is matched by trying', { format: 'uri' }],
    ['a format that nobody knows', { format: 'phone' }],
    ['a long choice', { enum: Array.from({ length: 51 }, (_, n) => n) }],
    ['a keyword that nobody knows', { 'x-limit': 1 }],
    ['one of these deep inside', { properties: { a: { items: { prefixItems: [{ pattern: 'x' }] } } } }],
  ];
  it.each(limited)('is one with %s', (_what, schema) => {
    expect(isPlain(schema)).toBe(false);
  });

  it('is interrupted, so the mark does decide who runs under the limit (R73)', () => {
    const hostile = prepare({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    expect(hostile.plain).toBe(false);
    expect(() => runValidation(hostile, { a: `${'a'.repeat(40)}!` })).toThrow('did not end within 250 ms');
  });
});

it('the slowest plain check of the largest answer stays below the time limit (invariant 9)', () => {
  const choice: JsonObject = { enum: Array.from({ length: 50 }, (_, n) => ({ n, of: 'fifty' })) };
  const grid = prepare({ properties: { rows: { items: { items: choice } } } });
  const rows: Json = Array.from({ length: 64 }, () => Array.from({ length: 500 }, (_, n) => n % 10));
  runValidation(grid, { rows: [[1]] });
  const before = process.cpuUsage();
  expect(runValidation(grid, { rows }).errors).toHaveLength(20);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(250);
});
