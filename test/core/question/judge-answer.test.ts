import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { answer, costCentre, interpret, outcomeOf, trip } from './asking.ts';

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
