import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { interpretAnswer } from '../../../core/question/interpret-answer.ts';
import { openQuestion } from '../../../core/question/open-question.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { answer, costCentre, interpret, message, outcomeOf, place } from './asking.ts';

const trip: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    days: { type: 'integer', maximum: 30 },
    note: { type: 'string' },
  },
  required: ['city', 'days'],
};

describe('the worked example', () => {
  it('refuses the text "engineering" with the options, and nothing else', () => {
    const opened = openQuestion(costCentre, place);
    const sent = message({ text: 'engineering' });
    expect(interpretAnswer(opened.ask, opened.message, sent)).toEqual({
      kind: 'invalid',
      errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
      redacted: { message: sent },
    });
  });

  it('accepts the data part that names the question', () => {
    const opened = openQuestion(costCentre, place);
    const sent = message({ data: { questionId: 'q-abcdefghijklmnop-1', costCentre: 'CC-4410' } });
    expect(interpretAnswer(opened.ask, opened.message, sent)).toEqual({
      kind: 'answer',
      value: { costCentre: 'CC-4410' },
      redacted: { message: sent },
    });
  });

  it('enforces the options unless others are allowed', () => {
    expect(outcomeOf(interpret(costCentre, answer({ costCentre: 'CC-9999' })))).toEqual({
      invalid: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
    });
    expect(outcomeOf(interpret({ ...costCentre, allowOther: true }, answer({ costCentre: 'CC-9999' })))).toEqual({
      costCentre: 'CC-9999',
    });
    expect(outcomeOf(interpret({ ...costCentre, allowOther: true }, answer({ costCentre: 'engineering' })))).toEqual({
      invalid: [{ pointer: '/costCentre', message: 'does not match ^CC-[0-9]{4}$' }],
    });
  });
});

describe('no coercion, no silent default (R56, R60)', () => {
  const falsy: readonly [JsonObject, Json][] = [
    [{ type: 'boolean' }, false],
    [{ type: 'integer' }, 0],
    [{ type: 'string' }, ''],
    [{ type: ['string', 'null'] }, null],
    [{ type: 'array' }, []],
    [{ type: ['object', 'null'] }, {}],
  ];
  it.each(falsy)('%j accepts %j and hands it on unchanged', (schema, value) => {
    const inObject: JsonObject = { type: 'object', properties: { it: schema }, required: ['it'] };
    expect(interpret({ schema }, answer({ value }))).toMatchObject({ kind: 'answer', value });
    expect(interpret({ schema: inObject }, answer({ it: value }))).toMatchObject({
      kind: 'answer',
      value: { it: value },
    });
  });

  const wrong: readonly [string, Json, string][] = [
    ['integer', '5', 'expected an integer'],
    ['integer', 5.5, 'expected an integer'],
    ['integer', null, 'expected an integer'],
    ['integer', [5], 'expected an integer'],
    ['boolean', 'false', 'expected true or false'],
    ['boolean', 0, 'expected true or false'],
    ['string', 5, 'expected a string'],
    ['string', null, 'expected a string'],
    ['array', 'a', 'expected a list'],
  ];
  it.each(wrong)('%s refuses %j: %s', (type, value, text) => {
    expect(outcomeOf(interpret({ schema: { type } }, answer({ value })))).toEqual({
      invalid: [{ pointer: '/value', message: text }],
    });
  });

  it('a missing value is not a default one', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { ok: { type: 'boolean', default: true } },
      required: ['ok'],
    };
    expect(outcomeOf(interpret({ schema }, answer({})))).toEqual({
      invalid: [{ pointer: '/ok', message: 'required' }],
    });
    expect(outcomeOf(interpret({ schema: { ...schema, required: [] } }, answer({})))).toEqual({});
  });

  it('a bare value in a data part answers a wrapped question, and no other', () => {
    expect(interpret({ schema: { type: 'integer' } }, { data: 5 })).toMatchObject({ kind: 'answer', value: 5 });
    expect(interpret({ schema: { type: ['null', 'string'] } }, { data: null })).toMatchObject({
      kind: 'answer',
      value: null,
    });
    expect(outcomeOf(interpret(costCentre, { data: 'CC-4410' }))).toEqual({
      invalid: [{ pointer: '', message: 'expected an object' }],
    });
  });
});

describe('which question is meant (R57)', () => {
  const others: readonly [Json, string][] = [
    ['q-zzzzzzzzzzzzzzzz-9', 'q-zzzzzzzzzzzzzzzz-9'],
    ['q-abcdefghijklmnop-2', 'q-abcdefghijklmnop-2'],
    ['Q-ABCDEFGHIJKLMNOP-1', 'Q-ABCDEFGHIJKLMNOP-1'],
    [' q-abcdefghijklmnop-1', ' q-abcdefghijklmnop-1'],
    ['', ''],
    [1, '1'],
    [{}, 'not a string'],
  ];
  it.each(others)('%j is another question, whatever the answer', (questionId, named) => {
    for (const costCentreGiven of ['CC-4410', 'nonsense']) {
      expect(interpret(costCentre, { data: { questionId, costCentre: costCentreGiven } })).toEqual({
        kind: 'other-question',
        questionId: named,
      });
    }
  });

  it('a data part that names none is an answer to the open one', () => {
    expect(outcomeOf(interpret(costCentre, { data: { costCentre: 'CC-4420' } }))).toEqual({ costCentre: 'CC-4420' });
    expect(outcomeOf(interpret(costCentre, { data: { questionId: null, costCentre: 'CC-4420' } }))).toEqual({
      costCentre: 'CC-4420',
    });
  });

  it('a very long id is cut before anybody repeats it', () => {
    const meaning = interpret(costCentre, { data: { questionId: 'q'.repeat(5_000) } });
    expect(meaning).toEqual({ kind: 'other-question', questionId: `${'q'.repeat(127)}…` });
  });

  it('a JSON text that names another question is treated alike', () => {
    expect(interpret(costCentre, { text: '{"questionId":"q-old","costCentre":"CC-4410"}' })).toEqual({
      kind: 'other-question',
      questionId: 'q-old',
    });
  });
});

describe('which part is the answer', () => {
  const file: Part = { url: 'https://example.com/a.png', mediaType: 'image/png' };
  const cases: readonly [string, readonly Part[], Json][] = [
    ['data goes before text', [{ text: 'CC-4420' }, answer({ costCentre: 'CC-4410' })], { costCentre: 'CC-4410' }],
    [
      'the data part that names the question',
      [{ data: { a: 1 } }, answer({ costCentre: 'CC-4410' }), { data: 5 }],
      { costCentre: 'CC-4410' },
    ],
    [
      'the one that names the open question among others',
      [{ data: { questionId: 'q-old' } }, answer({ costCentre: 'CC-4410' })],
      { costCentre: 'CC-4410' },
    ],
    ['files are ignored', [file, { text: 'CC-4410' }, { raw: 'AAAA' }], { costCentre: 'CC-4410' }],
    ['several texts are read as one', [{ text: '\n' }, { text: 'CC-4410' }], { costCentre: 'CC-4410' }],
    [
      'two unnamed data parts',
      [{ data: { costCentre: 'CC-4410' } }, { data: {} }],
      { invalid: [{ pointer: '', message: 'expected one data part with the answer, found 2' }] },
    ],
    [
      'two that name the question',
      [answer({ costCentre: 'CC-4410' }), answer({ costCentre: 'CC-4420' })],
      { invalid: [{ pointer: '', message: 'expected one data part with the answer, found 2' }] },
    ],
    [
      'files alone',
      [file],
      { invalid: [{ pointer: '', message: 'expected an answer as data or text; a file alone is not an answer' }] },
    ],
    [
      'nothing',
      [],
      { invalid: [{ pointer: '', message: 'expected an answer as data or text; a file alone is not an answer' }] },
    ],
  ];
  it.each(cases)('%s', (_name, parts, value) => {
    expect(outcomeOf(interpret(costCentre, ...parts))).toEqual(value);
  });
});

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

describe('a decline is never an answer (R06, R50)', () => {
  it('with and without a reason, as data or as JSON text', () => {
    expect(interpret(costCentre, answer({ decline: {} }))).toMatchObject({ kind: 'decline' });
    expect(interpret(costCentre, answer({ decline: {} }))).not.toHaveProperty('reason');
    expect(interpret(costCentre, answer({ decline: { reason: 'not mine' } }))).toMatchObject({
      kind: 'decline',
      reason: 'not mine',
    });
    expect(interpret(costCentre, { text: '{"decline":{"reason":""}}' })).toMatchObject({ kind: 'decline', reason: '' });
    expect(interpret({ schema: { type: 'boolean' } }, { data: { decline: {} } })).toMatchObject({ kind: 'decline' });
  });

  it('keeps a long reason within what the head can hold; the message keeps all of it', () => {
    const meaning = interpret(costCentre, answer({ decline: { reason: 'é'.repeat(600) } }));
    expect(meaning).toMatchObject({ kind: 'decline', reason: 'é'.repeat(512) });
    expect(JSON.stringify(meaning)).toContain('é'.repeat(600));
  });

  const wrong: readonly [Json, string, string][] = [
    [true, '/decline', 'expected an object with an optional reason'],
    [false, '/decline', 'expected an object with an optional reason'],
    ['no', '/decline', 'expected an object with an optional reason'],
    [{ reason: 5 }, '/decline/reason', 'expected a string'],
    [{ reason: '\ud800' }, '/decline', 'holds half of a Unicode character'],
  ];
  it.each(wrong)('%j is no decline', (decline, pointer, text) => {
    expect(outcomeOf(interpret(costCentre, answer({ decline })))).toEqual({ invalid: [{ pointer, message: text }] });
  });

  it('beside an answer is neither', () => {
    expect(outcomeOf(interpret(costCentre, answer({ decline: {}, costCentre: 'CC-4410' })))).toEqual({
      invalid: [{ pointer: '/decline', message: 'a declined answer has no other properties' }],
    });
    expect(outcomeOf(interpret(costCentre, answer({ decline: null, costCentre: 'CC-4410' })))).toEqual({
      costCentre: 'CC-4410',
    });
  });
});

describe('prefill holds the fields that were right', () => {
  it('and neither wrong nor undeclared ones', () => {
    const meaning = interpret({ schema: trip }, answer({ city: 'Lisbon', days: 300, note: 'by train', extra: 1 }));
    expect(meaning).toMatchObject({
      kind: 'invalid',
      errors: [{ pointer: '/days', message: 'expected at most 30' }],
      prefill: { city: 'Lisbon', note: 'by train' },
    });
  });

  it('nothing right, no prefill', () => {
    expect(interpret({ schema: trip }, answer({ city: 'x' }))).not.toHaveProperty('prefill');
  });

  it('a value outside the options is not right', () => {
    const spec: Partial<AskSpec> = { schema: trip, options: { city: ['Lisbon', 'Porto'] } };
    const meaning = interpret(spec, answer({ city: 'Paris', days: 3 }));
    expect(meaning).toMatchObject({
      errors: [{ pointer: '/city', message: 'expected one of Lisbon, Porto' }],
      prefill: { days: 3 },
    });
  });

  it('what failed inside an alternative is not right, though only the alternative is told', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: {}, b: {} },
      anyOf: [{ properties: { a: { type: 'string' } } }],
    };
    expect(interpret({ schema }, answer({ a: 1, b: 2 }))).toMatchObject({
      errors: [{ pointer: '', message: 'matches none of the allowed forms' }],
      prefill: { b: 2 },
    });
  });

  it('what is right in itself is kept when the whole is wrong', () => {
    const schema: JsonObject = { type: 'object', properties: { a: {}, b: {} }, not: { required: ['a', 'b'] } };
    expect(interpret({ schema }, answer({ a: 1, b: 2 }))).toMatchObject({ prefill: { a: 1, b: 2 } });
  });
});

describe('options', () => {
  it('are compared as JSON, whatever the order of properties', () => {
    const options = [{ value: { a: 1, b: [2] }, label: 'First' }, { x: 1 }];
    expect(outcomeOf(interpret({ schema: {}, options }, answer({ value: { b: [2], a: 1 } })))).toEqual({
      b: [2],
      a: 1,
    });
    expect(outcomeOf(interpret({ schema: {}, options }, answer({ value: { a: 1, b: [2, 3] } })))).toEqual({
      invalid: [{ pointer: '/value', message: 'expected one of First, {"x":1}' }],
    });
  });

  it('do not make a missing property of another kind of error', () => {
    expect(outcomeOf(interpret(costCentre, answer({})))).toEqual({
      invalid: [{ pointer: '/costCentre', message: 'required' }],
    });
  });
});

describe('names of Object.prototype', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { constructor: { type: 'string' } },
    required: ['constructor'],
  };
  it('are ordinary properties', () => {
    expect(outcomeOf(interpret({ schema }, answer({})))).toEqual({
      invalid: [{ pointer: '/constructor', message: 'required' }],
    });
    expect(outcomeOf(interpret({ schema }, answer({ constructor: 'x' })))).toEqual({ constructor: 'x' });
    expect(interpret({ schema, options: ['x'] }, { text: 'toString' })).toMatchObject({ kind: 'invalid' });
  });

  it('__proto__ is refused wherever it stands', () => {
    for (const json of ['{"__proto__":{"a":1},"constructor":"x"}', '{"constructor":"x","b":[{"__proto__":1}]}']) {
      const meaning = interpret({ schema }, { data: JSON.parse(json) as Json });
      expect(outcomeOf(meaning)).toMatchObject({
        invalid: [{ message: 'the property name __proto__ is not allowed' }],
      });
    }
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

describe('limits of answers', () => {
  const anything = { schema: { type: 'object' } as JsonObject };
  const deep = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
  const cases: readonly [string, JsonObject, string | undefined][] = [
    ['64 KB', { a: 'x'.repeat(65_528) }, undefined],
    ['a byte more', { a: 'x'.repeat(65_529) }, 'expected at most 65536 bytes of JSON'],
    ['1,000 items', { a: Array.from({ length: 1_000 }, () => 0) }, undefined],
    ['1,001 items', { a: Array.from({ length: 1_001 }, () => 0) }, 'expected at most 1000 items'],
    ['16 levels', { a: deep(15) }, undefined],
    ['17 levels', { a: deep(16) }, 'expected at most 16 levels of lists and objects'],
    ['half a character', { a: 'x\udc00' }, 'holds half of a Unicode character'],
    ['half a character in a name', { '\ud800': 1 }, 'a property name holds half of a Unicode character'],
    ['a whole one', { a: '😀' }, undefined],
    ['a number out of range', JSON.parse('{"a":1e400}') as JsonObject, 'expected a finite number'],
  ];
  it.each(cases)('%s', (_name, properties, text) => {
    const meaning = interpret(anything, { data: properties });
    if (text === undefined) expect(meaning).toMatchObject({ kind: 'answer', value: properties });
    else expect(meaning).toMatchObject({ kind: 'invalid', errors: [{ message: text }] });
  });
});
