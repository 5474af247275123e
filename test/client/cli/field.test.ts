import { describe, expect, it } from 'vitest';
import { formField, readField, typedAs } from '../../../client/cli/field.ts';
import type { Field } from '../../../client/types.ts';
import type { Json, JsonObject } from '../../../core/json.ts';

const field = (schema: JsonObject, more: Partial<Field> = {}, allowOther = false) =>
  formField({ name: 'x', label: 'x', schema, required: true, secret: false, options: [], ...more }, allowOther);
const options = (...values: Json[]) => ({ options: values.map((value) => ({ value, label: String(value) })) });
const value = (read: Json) => ({ kind: 'value', value: read });

describe('what a typed text means, by the type of its field', () => {
  it.each([
    [{ type: 'string' }, ' as typed ', value(' as typed ')],
    [{ type: 'string' }, '""', value('')],
    [{ type: 'string' }, '5', value('5')],
    [{ type: 'integer' }, ' 5 ', value(5)],
    [{ type: 'integer' }, '-5', value(-5)],
    [{ type: 'integer' }, '5.5', { kind: 'wrong', message: 'expected a whole number' }],
    [{ type: 'integer' }, 'five', { kind: 'wrong', message: 'expected a whole number' }],
    [{ type: 'number' }, '42.50', value(42.5)],
    [{ type: 'number' }, '1e3', value(1000)],
    [{ type: 'number' }, '0x10', { kind: 'wrong', message: 'expected a number, as in 42.50' }],
    [{ type: 'number' }, 'Infinity', { kind: 'wrong', message: 'expected a number, as in 42.50' }],
    [{ type: ['number', 'null'] }, '7', value(7)],
    [{ type: 'boolean' }, 'YES', value(true)],
    [{ type: 'boolean' }, 'n', value(false)],
    [{ type: 'boolean' }, '1', { kind: 'wrong', message: 'expected yes or no' }],
    [{ type: 'array' }, '["a", 1]', value(['a', 1])],
    [{ type: 'object' }, '{"a": {"b": null}}', value({ a: { b: null } })],
    [{}, '"a"', value('a')],
    [
      { type: 'array' },
      'a, b',
      { kind: 'wrong', message: 'expected JSON, as in ["a", "b"] or {"name": "value"}; a text needs its quotes' },
    ],
    [{ type: 'string' }, '   ', { kind: 'wrong', message: 'an answer is needed here' }],
  ])('%j: %j', (schema, text, expected) => {
    expect(readField(field(schema as JsonObject), text)).toEqual(expected);
  });

  it('Enter leaves an optional field out, and is no answer to one that is required', () => {
    expect(readField(field({ type: 'boolean' }, { required: false }), '')).toEqual({ kind: 'left-out' });
    expect(readField(field({ type: 'boolean' }), '').kind).toBe('wrong');
  });
});

describe('choices', () => {
  const centres = field({ type: 'string' }, options('CC-4410', 'CC-4420'));

  it.each([
    ['1', 'CC-4410'],
    ['2)', 'CC-4420'],
    ['CC-4420', 'CC-4420'],
    [' cc-4420 ', 'CC-4420'],
  ])('%j takes %j', (text, expected) => {
    expect(readField(centres, text)).toEqual(value(expected));
  });

  it.each(['3', '0', 'CC', 'engineering', ''])('%j takes nothing, and the choices are named', (text) => {
    expect(readField(centres, text)).toEqual({
      kind: 'wrong',
      message: 'expected one of 1 (CC-4410), 2 (CC-4420)',
    });
  });

  it('are marked by letters where a number could be meant as a value', () => {
    const sizes = field({ type: 'integer' }, options(3, 2, 1));
    expect(sizes.choices.map(({ mark }) => mark)).toEqual(['a', 'b', 'c']);
    expect(readField(sizes, '1')).toEqual(value(1));
    expect(readField(sizes, 'a')).toEqual(value(3));
  });

  it('are taken by label, and the value is sent', () => {
    const cities = field({ type: 'string' }, { options: [{ value: 'LIS', label: 'Lisbon' }] });
    expect(readField(cities, 'lisbon')).toEqual(value('LIS'));
  });

  it('let other values in where the question does', () => {
    expect(readField(field({ type: 'string' }, options('a'), true), 'other')).toEqual(value('other'));
  });

  it.each([
    [{ enum: ['low', 'high'] }, ['low', 'high']],
    [{ const: 'yes' }, ['yes']],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two\u001b[2J' },
        ],
      },
      ['One', 'Two'],
    ],
    [{ anyOf: [{ const: 1 }, { type: 'string' }] }, []],
  ])('come from the schema where the question has none: %j', (schema, labels) => {
    expect(field(schema as JsonObject).choices.map(({ label }) => label)).toEqual(labels);
  });
});

describe('what is said of a field', () => {
  it.each([
    [field({ type: 'string', format: 'date' }), 'a date, as in 2026-01-31'],
    [field({ type: 'integer' }, { required: false }), 'a whole number; optional'],
    [field({ type: 'boolean' }, { description: 'Really?' }), 'Really?; yes or no'],
    [field({ type: 'string' }, options('a', 'b')), '1 to 2'],
    [field({ type: 'string' }), ''],
  ])('%#', ({ hint }, expected) => {
    expect(hint).toBe(expected);
  });

  it.each([
    [field({ type: 'boolean' }), false, 'no'],
    [field({ type: 'string' }), 'as it is', 'as it is'],
    [field({ type: 'string' }), '', '""'],
    [field({ type: 'number' }), 42.5, '42.5'],
    [field({ type: 'array' }), ['a'], '["a"]'],
  ])('a value stands in the line as it would be typed (%#)', (form, known, expected) => {
    expect(typedAs(form, known)).toBe(expected);
    expect(readField(form, expected)).toEqual(value(known));
  });
});

describe('the hint beside a field', () => {
  it.each([
    [{ type: 'string', format: 'date' }, undefined, 'a date, as in 2026-01-31'],
    [{ type: 'string', format: 'date' }, 'The day on the receipt', 'The day on the receipt; a date, as in 2026-01-31'],
    [
      { type: 'string', format: 'date' },
      'The day on the receipt, as in 2026-11-24',
      'The day on the receipt, as in 2026-11-24',
    ],
    [{ type: 'string', format: 'email' }, 'Yours, as in a@b.example', 'Yours, as in a@b.example'],
  ])('%j, described as %j: %j, its form not twice', (schema, description, hint) => {
    expect(field(schema, description === undefined ? {} : { description }).hint).toBe(hint);
  });
});
