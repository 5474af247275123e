import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { costCentre, interpret, outcomeOf, trip } from './asking.ts';

const sizes = [
  { value: 'S', label: 'Small' },
  { value: 'L', label: 'Large', description: 'more' },
];
const required = (property: string, schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [property]: schema },
  required: [property],
});

describe('text only is mapped when that is certain (R28)', () => {
  const cases: readonly [string, Partial<AskSpec>, string, Json][] = [
    ['an option', costCentre, 'CC-4410', { costCentre: 'CC-4410' }],
    ['an option in other case and with space', costCentre, '  cc-4420\n', { costCentre: 'CC-4420' }],
    ['a label', { schema: required('size', { type: 'string' }), options: sizes }, ' large ', { size: 'L' }],
    [
      'the value of a labelled option',
      { schema: required('size', { type: 'string' }), options: sizes },
      's',
      { size: 'S' },
    ],
    [
      'the label of a boolean',
      {
        schema: { type: 'boolean' },
        options: [
          { value: true, label: 'Yes' },
          { value: false, label: 'No' },
        ],
      },
      'no',
      false,
    ],
    ['an option that is a number', { schema: { type: 'integer' }, options: [1, 2] }, '2', 2],
    ['the exact one of two that differ in case', { schema: { type: 'string' }, options: ['a', 'A'] }, 'A', 'A'],
    ['a JSON object', { schema: trip }, ' {"city":"Lisbon","days":3}', { city: 'Lisbon', days: 3 }],
    [
      'a JSON object that names the question',
      costCentre,
      '{"questionId":"q-abcdefghijklmnop-1","costCentre":"CC-4410"}',
      { costCentre: 'CC-4410' },
    ],
    ['the one required string', { schema: required('city', { type: 'string' }) }, 'Lisbon', { city: 'Lisbon' }],
    ['the one required string, kept as it is', { schema: { type: 'string' } }, ' Lisbon\n', ' Lisbon\n'],
    [
      'the one required string, without space only where needed',
      { schema: { type: 'string', pattern: '^[A-Z]+$' } },
      ' ABC\n',
      'ABC',
    ],
    ['the empty string', { schema: { type: 'string' } }, '', ''],
    ['an enum of strings', { schema: { enum: ['a', 'b'] } }, 'b', 'b'],
    ['text for a question without a schema', {}, 'whatever', { text: 'whatever' }],
    ['JSON as a text, where the object is no answer', {}, '{"a":1}', { text: '{"a":1}' }],
    [
      'a number is no text',
      { schema: { type: 'integer' } },
      '5',
      { invalid: [{ pointer: '', message: 'the text cannot be read as an answer; expected a data part with value' }] },
    ],
    [
      'yes is no boolean',
      { schema: { type: 'boolean' } },
      'yes',
      { invalid: [{ pointer: '', message: 'the text cannot be read as an answer; expected a data part with value' }] },
    ],
    [
      'null may be meant',
      { schema: { type: ['string', 'null'] } },
      'null',
      { invalid: [{ pointer: '', message: 'the text cannot be read as an answer; expected a data part with value' }] },
    ],
    [
      'two required properties',
      { schema: trip },
      'Lisbon',
      {
        invalid: [
          { pointer: '', message: 'the text cannot be read as an answer; expected a data part with city, days' },
        ],
      },
    ],
    [
      'a JSON object that is wrong',
      { schema: trip },
      '{"city":"Lisbon"}',
      { invalid: [{ pointer: '/days', message: 'required' }] },
    ],
    [
      'broken JSON',
      { schema: trip },
      '{"city":',
      {
        invalid: [
          { pointer: '', message: 'the text cannot be read as an answer; expected a data part with city, days' },
        ],
      },
    ],
    [
      'a JSON list',
      { schema: { type: 'array' } },
      '[1]',
      { invalid: [{ pointer: '', message: 'the text cannot be read as an answer; expected a data part with value' }] },
    ],
    ['several options', { schema: { type: 'string' }, options: ['a', 'A'] }, ' a', 'a'],
    [
      'several options by label',
      {
        schema: { type: 'string' },
        options: [
          { value: 'x', label: 'One' },
          { value: 'y', label: 'one' },
        ],
      },
      'ONE',
      { invalid: [{ pointer: '/value', message: 'names more than one option' }] },
    ],
    [
      'no option, and no string',
      { schema: { type: 'integer' }, options: [1, 2] },
      '3',
      { invalid: [{ pointer: '/value', message: 'expected one of 1, 2' }] },
    ],
    [
      'over 64 KB',
      {},
      'x'.repeat(65_537),
      { invalid: [{ pointer: '', message: 'expected at most 65536 bytes of text' }] },
    ],
  ];
  it.each(cases)('%s', (_name, spec, text, value) => {
    expect(outcomeOf(interpret(spec, { text }))).toEqual(value);
  });

  it('goes to parseText when it is neither option nor valid JSON', () => {
    const spec = { ...costCentre, parsesText: true };
    expect(interpret(spec, { text: 'engineering' })).toEqual({ kind: 'text', text: 'engineering' });
    expect(interpret(spec, { text: 'some' }, { text: 'lines' })).toEqual({ kind: 'text', text: 'some\nlines' });
    expect(outcomeOf(interpret(spec, { text: 'cc-4410' }))).toEqual({ costCentre: 'CC-4410' });
    expect(outcomeOf(interpret(spec, { text: '{"costCentre":"CC-4420"}' }))).toEqual({ costCentre: 'CC-4420' });
    expect(interpret({ schema: { type: 'string' }, parsesText: true }, { text: 'to Lisbon' })).toEqual({
      kind: 'text',
      text: 'to Lisbon',
    });
    expect(interpret({ schema: trip, parsesText: true }, { text: '{"city":5}' })).toEqual({
      kind: 'text',
      text: '{"city":5}',
    });
  });
});
