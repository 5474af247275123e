import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { entriesFor, type Entries, OTHER, placeErrors, readForm, UNREADABLE } from '../../inbox/answer.ts';
import { type Field, fieldsOf } from '../../inbox/fields.ts';
import { asks, object } from './support.ts';

const optional = (property: Json): readonly Field[] => fieldsOf(asks(object({ x: property })));
const required = (property: Json): readonly Field[] => fieldsOf(asks(object({ x: property }, 'x')));
const read = (fields: readonly Field[], entry?: string | readonly string[]) => {
  const { answer, errors } = readForm(fields, entry === undefined ? {} : { [fields[0]!.id]: entry });
  return errors.size > 0 ? [...errors.values()] : answer;
};

describe('from entries to an answer', () => {
  it.each<[Json, string | readonly string[], Json]>([
    [{ type: 'string' }, ' as typed ', ' as typed '],
    [{ type: 'string', format: 'date' }, '2026-12-14', '2026-12-14'],
    [{ type: 'integer' }, '0', 0],
    [{ type: 'number' }, '-1.5e1', -15],
    [{ type: 'boolean' }, '1', false],
    [{ enum: ['a', null] }, '1', null],
    [{ type: 'array', items: { enum: ['x', 'y', 'z'] } }, ['2', '0'], ['z', 'x']],
    [{ type: 'array', items: { type: 'string' } }, '["5", 5]', ['5', 5]],
    [{}, 'null', null],
    [{}, '"5"', '5'],
  ])('%j with %j', (property, entry, value) => {
    expect(read(required(property), entry)).toEqual({ x: value });
  });

  it.each<[Json, string | readonly string[], string]>([
    [{ type: 'integer' }, '1.5', 'Enter a whole number'],
    [{ type: 'integer' }, UNREADABLE, 'Enter a whole number'],
    [{ type: 'integer' }, '9007199254740993', 'This number is too large to be sent exactly'],
    [{ type: 'number' }, 'five', 'Enter a number'],
    [{ type: 'number' }, 'Infinity', 'Enter a number'],
    [{ type: 'integer', minimum: 1 }, '0', 'Enter 1 or more'],
    [{ type: 'integer', maximum: 12 }, '13', 'Enter 12 or less'],
    [{ type: 'number', exclusiveMinimum: 0 }, '0', 'Enter more than 0'],
    [{ type: 'number', exclusiveMaximum: 1 }, '1', 'Enter less than 1'],
    [{ type: 'integer', multipleOf: 5 }, '7', 'Enter a multiple of 5'],
    [{ type: 'string', minLength: 3 }, 'ab', 'Enter at least 3 characters'],
    [{ type: 'string', maxLength: 1 }, '😀😀', 'Enter at most 1 characters'],
    [{ type: 'string', format: 'email' }, 'nobody', 'Enter an e-mail address, as in name@example.com'],
    [{ type: 'string', format: 'uri' }, 'example', 'Enter an address, as in https://example.com'],
    [{ type: 'string', format: 'date' }, '14.12.2026', 'Enter a date'],
    [{ type: 'string', format: 'date-time' }, 'soon', 'Enter a date and a time'],
    [{ type: 'array', items: { enum: ['x', 'y'] }, minItems: 1 }, [], 'Choose at least 1'],
    [{ type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 }, ['0', '1'], 'Choose at most 1'],
    [{}, '{a: 1}', 'This is not valid JSON: texts stand in double quotes, as in {"name": "value"}'],
  ])('%j refuses %j', (property, entry, message) => {
    expect(read(required(property), entry)).toEqual([message]);
  });

  it('what counts as characters is what a reader sees as one, as in JSON Schema', () => {
    expect(read(required({ type: 'string', maxLength: 1 }), '😀')).toEqual({ x: '😀' });
  });

  it.each<[Json, string]>([
    [{ type: 'string' }, 'Fill this in'],
    [{ type: 'integer' }, 'Fill this in'],
    [{ type: 'boolean' }, 'Choose one'],
    [{ enum: ['a'] }, 'Choose one'],
    [{}, 'Fill this in'],
  ])('what is required and empty is asked for, never filled in (%j)', (property, message) => {
    expect(read(required(property))).toEqual([message]);
    expect(read(required(property), '')).toEqual([message]);
  });

  it.each<[Json]>([[{ type: 'string' }], [{ type: 'integer' }], [{ type: 'boolean' }], [{}], [{ default: 5 }]])(
    'what may be left out and is empty is left out (%j)',
    (property) => {
      expect(read(optional(property), '')).toEqual({});
    },
  );

  it('a value that may be null is null when it is required and left empty', () => {
    expect(read(required({ type: ['string', 'null'] }), '')).toEqual({ x: null });
    expect(read(optional({ type: ['string', 'null'] }), '')).toEqual({});
  });

  it('no box ticked is an empty list where a list is required, and nothing otherwise', () => {
    const boxes = { type: 'array', items: { enum: ['x'] } };
    expect(read(required(boxes), [])).toEqual({ x: [] });
    expect(read(optional(boxes), [])).toEqual({});
  });

  it('a group that may be left out asks for nothing until something stands in it', () => {
    const group = object({ street: { type: 'string' }, city: { type: 'string' } }, 'city');
    const fields = optional(group);
    const [street, city] = fields[0]?.kind === 'group' ? fields[0].fields : [];
    expect(readForm(fields, {})).toEqual({ answer: {}, errors: new Map() });
    const { errors } = readForm(fields, { [street!.id]: 'Rua' });
    expect([...errors]).toEqual([[city!.id, 'Fill this in']]);
    expect(readForm(fields, { [city!.id]: 'Lisbon' }).answer).toEqual({ x: { city: 'Lisbon' } });
  });

  it('another value than the options is read by its own field', () => {
    const fields = fieldsOf(asks(object({ x: { type: 'integer' } }, 'x'), { options: [1, 2], allowOther: true }));
    const [id, other] = [fields[0]!.id, `${fields[0]!.id}-other`];
    expect(readForm(fields, { [id]: OTHER, [other]: '7' }).answer).toEqual({ x: 7 });
    expect([...readForm(fields, { [id]: OTHER, [other]: '' }).errors]).toEqual([[other, 'Fill this in']]);
  });

  it('the whole answer as JSON must be an object', () => {
    const fields = fieldsOf(asks({ type: 'object' }));
    expect(read(fields, '{"a": [1]}')).toEqual({ a: [1] });
    expect(read(fields, '[1]')).toEqual(['Enter a JSON object, as in {"name": 1}']);
    expect(read(fields, '')).toEqual(['Enter a JSON object, as in {"name": 1}']);
  });

  it('a property of any name is an own property of the answer', () => {
    const schema = {
      type: 'object',
      properties: JSON.parse('{"__proto__":{"type":"string"}}'),
      required: ['__proto__'],
    };
    const fields = fieldsOf(asks(schema));
    expect(JSON.stringify(readForm(fields, { [fields[0]!.id]: 'x' }).answer)).toBe('{"__proto__":"x"}');
  });
});

describe('from an answer to entries', () => {
  const schema = object({
    text: { type: 'string' },
    count: { type: 'integer' },
    yes: { type: 'boolean' },
    many: { type: 'array', items: { enum: ['x', 'y'] } },
    group: object({ city: { type: 'string' } }),
    any: {},
    pin: { type: 'string', writeOnly: true },
  });

  it('reads back what it gives', () => {
    const fields = fieldsOf(asks(schema));
    const answer = { text: 'a', count: 0, yes: false, many: ['y'], group: { city: 'Lisbon' }, any: { b: [null] } };
    expect(readForm(fields, entriesFor(fields, answer)).answer).toEqual(answer);
  });

  it('leaves out what does not fit, and secrets always', () => {
    const fields = fieldsOf(asks(schema));
    const wrong = { text: 5, count: '5', yes: 'maybe', many: 'y', group: [], pin: '1234', unknown: 1 };
    expect(entriesFor(fields, wrong)).toEqual({});
  });

  it('a value beside the options goes into the field for others', () => {
    const fields = fieldsOf(asks(object({ x: { type: 'string' } }, 'x'), { options: ['a'], allowOther: true }));
    expect(entriesFor(fields, { x: 'a' })).toEqual({ 'field-1': '0' });
    expect(entriesFor(fields, { x: 'b' })).toEqual({ 'field-1': OTHER, 'field-1-other': 'b' });
  });

  it('a time stands in the reader’s own zone and means the same', () => {
    const fields = optional({ type: 'string', format: 'date-time' });
    const entries: Entries = entriesFor(fields, { x: '2026-12-14T08:15:30Z' });
    expect(readForm(fields, entries).answer).toEqual({ x: '2026-12-14T08:15:30.000Z' });
  });
});

describe('the agent’s errors', () => {
  it('stand at the field of their pointer or the nearest around it; the rest stands above', () => {
    const fields = fieldsOf(asks(object({ a: object({ b: { type: 'string' } }), list: {}, listing: {} })));
    const inner = fields[0]?.kind === 'group' ? fields[0].fields[0]!.id : '';
    const { beside, above } = placeErrors(fields, [
      { pointer: '/a/b', message: 'one' },
      { pointer: '/a/c', message: 'two' },
      { pointer: '/list/0/x', message: 'three' },
      { pointer: '/list/1', message: 'four' },
      { pointer: '', message: 'five' },
      { pointer: '/other', message: 'six' },
    ]);
    expect([...beside]).toEqual([
      [inner, 'one'],
      [fields[0]!.id, 'two'],
      [fields[1]!.id, 'three; four'],
    ]);
    expect(above).toEqual(['five', 'six']);
  });
});
