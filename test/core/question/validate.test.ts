import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import { validateValue } from '../../../core/question/validate.ts';

const says: readonly [JsonObject, Json, string][] = [
  [{ type: 'integer' }, '5', 'expected an integer'],
  [{ type: 'integer' }, 5.5, 'expected an integer'],
  [{ type: 'number' }, true, 'expected a number'],
  [{ type: 'string' }, 5, 'expected a string'],
  [{ type: 'boolean' }, 'true', 'expected true or false'],
  [{ type: 'boolean' }, 0, 'expected true or false'],
  [{ type: 'null' }, false, 'expected null'],
  [{ type: 'array' }, {}, 'expected a list'],
  [{ type: 'object' }, [], 'expected an object'],
  [{ type: ['string', 'null'] }, 0, 'expected a string or null'],
  [{ type: ['string', 'integer', 'null'] }, false, 'expected a string, an integer or null'],
  [{ enum: ['a', 2, null, ''] }, 'b', 'expected one of a, 2, null, ""'],
  [{ const: { a: 1 } }, 'b', 'expected {"a":1}'],
  [{ pattern: '^CC-[0-9]{4}$' }, 'x', 'does not match ^CC-[0-9]{4}$'],
  [{ format: 'date' }, '2026-02-30', 'expected a date such as 2026-01-31'],
  [{ format: 'email' }, 'me', 'expected an email address'],
  [{ format: 'uuid' }, 'x', 'expected a UUID'],
  [{ format: 'json-pointer' }, 'x', 'expected the format json-pointer'],
  [{ minLength: 1 }, '', 'expected at least 1 character'],
  [{ maxLength: 2 }, 'abc', 'expected at most 2 characters'],
  [{ minimum: 5 }, 4, 'expected at least 5'],
  [{ maximum: 5 }, 6, 'expected at most 5'],
  [{ exclusiveMinimum: 5 }, 5, 'expected more than 5'],
  [{ exclusiveMaximum: 5 }, 5, 'expected less than 5'],
  [{ multipleOf: 5 }, 7, 'expected a multiple of 5'],
  [{ minItems: 2 }, [1], 'expected at least 2 items'],
  [{ maxItems: 1 }, [1, 2], 'expected at most 1 item'],
  [{ prefixItems: [{}, {}], items: false }, [1, 2, 3], 'expected at most 2 items'],
  [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], 'expected at most 1 item'],
  [{ uniqueItems: true, maxItems: 5 }, [1, 2, 1], 'items 0 and 2 are equal'],
  [{ contains: { type: 'string' } }, [1, 2], 'expected at least 1 matching item'],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], 'expected at least 1 matching item and at most 1'],
  [{ minProperties: 1 }, {}, 'expected at least 1 property'],
  [{ maxProperties: 0 }, { a: 1 }, 'expected at most 0 properties'],
  [{ not: { const: 1 } }, 1, 'not allowed'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, 'expected a string or null'],
  [
    {
      anyOf: [
        { type: 'number', const: 1 },
        { type: 'string', const: 'b' },
      ],
    },
    'c',
    'expected one of 1, b',
  ],
  [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'c', 'expected one of a, b'],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, 'matches more than one of the allowed forms'],
  [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, 'matches none of the allowed forms'],
];

describe('validateValue says in plain words what is wrong', () => {
  it.each(says)('%j, %j: %s', (schema, value, message) => {
    expect(validateValue(schema, value)).toEqual([{ pointer: '', message }]);
  });

  it('and where, by JSON Pointer', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { amounts: { type: 'array', items: { $ref: '#/$defs/amount' } }, 'a/b~c': { type: 'string' } },
      required: ['when', 'x/y'],
      dependentRequired: { amounts: ['currency'] },
      propertyNames: { maxLength: 8 },
      additionalProperties: false,
      $defs: { amount: { type: 'number', minimum: 0 } },
    };
    expect(validateValue(schema, { amounts: [1, -1, 'two'], 'a/b~c': 1, constructor: 1 })).toEqual([
      { pointer: '/when', message: 'required' },
      { pointer: '/x~1y', message: 'required' },
      { pointer: '/constructor', message: 'this property name is not allowed' },
      { pointer: '/constructor', message: 'unknown property' },
      { pointer: '/amounts/1', message: 'expected at least 0' },
      { pointer: '/amounts/2', message: 'expected a number' },
      { pointer: '/a~1b~0c', message: 'expected a string' },
      { pointer: '/currency', message: 'required when amounts is given' },
    ]);
  });

  it('tells an error inside alternatives only as one, and the others all the same', () => {
    const schema: JsonObject = {
      properties: { list: { items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, a: { $ref: '#/$defs/s' } },
      anyOf: [{ required: ['x'] }, { required: ['y'] }],
      $defs: { s: { type: 'string' } },
    };
    const errors = validateValue(schema, { list: [1, 'a', true], a: 1 });
    expect(errors).toHaveLength(4);
    expect(errors).toEqual(
      expect.arrayContaining([
        { pointer: '/list/0', message: 'expected a string or null' },
        { pointer: '/list/2', message: 'expected a string or null' },
        { pointer: '/a', message: 'expected a string' },
        { pointer: '', message: 'matches none of the allowed forms' },
      ]),
    );
  });

  it('tells the failing branch of if, not the if', () => {
    const schema: JsonObject = { if: { required: ['a'] }, then: { required: ['b'] } };
    expect(validateValue(schema, { a: 1 })).toEqual([{ pointer: '/b', message: 'required' }]);
  });

  it('reports at most 20 errors, shortens lists, and points at long names from above', () => {
    expect(
      validateValue(
        { items: { type: 'string' } },
        Array.from({ length: 900 }, () => 1),
      ),
    ).toHaveLength(20);
    const values = Array.from({ length: 60 }, (_, n) => `value-${String(n).padStart(4, '0')}`);
    expect(validateValue({ enum: values }, 'x')[0]?.message).toMatch(
      /^expected one of value-0000, .*value-0040 and 19 more$/,
    );
    const long = 'n'.repeat(300);
    expect(validateValue({ additionalProperties: false }, { [long]: 1 })).toEqual([
      { pointer: '', message: 'unknown property' },
    ]);
  });

  it('finds only own properties', () => {
    expect(validateValue({ required: ['constructor', 'toString'] }, {})).toEqual([
      { pointer: '/constructor', message: 'required' },
      { pointer: '/toString', message: 'required' },
    ]);
    expect(validateValue({ properties: { constructor: { type: 'string' } } }, {})).toEqual([]);
  });

  it('applies no default and changes no value', () => {
    const value = { b: '5' };
    const schema: JsonObject = { properties: { a: { default: 1 }, b: { type: ['integer', 'string'] } }, default: {} };
    expect(validateValue(schema, value)).toEqual([]);
    expect(value).toEqual({ b: '5' });
  });

  it('knows the keywords of 2020-12', () => {
    const schema: JsonObject = {
      allOf: [{ properties: { a: {} } }],
      dependentSchemas: { a: { required: ['b'] } },
      unevaluatedProperties: false,
    };
    expect(validateValue(schema, { a: 1, c: 1 })).toEqual([
      { pointer: '/b', message: 'required' },
      { pointer: '/c', message: 'unknown property' },
    ]);
  });

  it('keeps many schemas apart', () => {
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 100; n++) {
        expect(validateValue({ const: n }, n)).toEqual([]);
        expect(validateValue({ const: n }, n + 1)).toEqual([{ pointer: '', message: `expected ${n}` }]);
      }
    }
  });
});
