import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { type Field, fieldsOf } from '../../inbox/fields.ts';
import { asks, object } from './support.ts';

const fieldOf = (property: Json, required = true): Field | undefined =>
  fieldsOf(asks(object({ name: property }, ...(required ? ['name'] : []))))[0];

describe('from a schema to the fields of a form', () => {
  it.each<[Json, object]>([
    [
      { type: 'string', maxLength: 80 },
      { kind: 'text', form: 'line', most: 80 },
    ],
    [{ type: 'string' }, { kind: 'text', form: 'lines' }],
    [
      { type: 'string', maxLength: 500 },
      { kind: 'text', form: 'lines' },
    ],
    [
      { type: 'string', pattern: '^a$' },
      { kind: 'text', form: 'line' },
    ],
    [
      { type: 'string', format: 'email' },
      { kind: 'text', form: 'email' },
    ],
    [
      { type: 'string', format: 'date' },
      { kind: 'text', form: 'date' },
    ],
    [
      { type: 'string', format: 'date-time' },
      { kind: 'text', form: 'date-time' },
    ],
    [
      { type: 'string', format: 'uri' },
      { kind: 'text', form: 'uri' },
    ],
    [
      { type: 'string', format: 'constructor' },
      { kind: 'text', form: 'line' },
    ],
    [
      { type: 'string', writeOnly: true },
      { kind: 'text', secret: true },
    ],
    [
      { type: 'integer', minimum: 1, maximum: 12 },
      { kind: 'number', whole: true, min: 1, max: 12 },
    ],
    [
      { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 },
      { kind: 'number', whole: false, above: 0, step: 0.01 },
    ],
    [{ type: 'array', items: { type: 'string' } }, { kind: 'json' }],
    [{ type: 'object' }, { kind: 'json' }],
    [{}, { kind: 'json' }],
    [true, { kind: 'json' }],
    [{ type: ['string', 'number'] }, { kind: 'json' }],
    [{ type: ['integer', 'null'] }, { kind: 'number', nullable: true }],
    [{ anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, { kind: 'text', form: 'date', nullable: true }],
  ])('%j', (property, expected) => {
    expect(fieldOf(property)).toMatchObject(expected);
  });

  it('a boolean is a choice of Yes and No, because an empty box would be an answer that nobody gave', () => {
    expect(fieldOf({ type: 'boolean' })).toMatchObject({
      kind: 'choice',
      from: 'boolean',
      choices: [
        { value: true, label: 'Yes' },
        { value: false, label: 'No' },
      ],
    });
  });

  it('an enumeration is a choice of its values, whatever their types', () => {
    expect(fieldOf({ enum: ['a', 2, null, { b: 1 }] })).toMatchObject({
      kind: 'choice',
      from: 'enum',
      choices: [
        { value: 'a', label: 'a' },
        { value: 2, label: '2' },
        { value: null, label: 'null' },
        { value: { b: 1 }, label: '{"b":1}' },
      ],
    });
  });

  it('branches that are each one value are a choice with titles', () => {
    expect(
      fieldOf({
        oneOf: [
          { const: 'e', title: 'Economy' },
          { const: 'b', description: 'More room' },
        ],
      }),
    ).toMatchObject({
      choices: [
        { value: 'e', label: 'Economy' },
        { value: 'b', label: 'b', description: 'More room' },
      ],
    });
  });

  it('an array of an enumeration is a list of boxes', () => {
    expect(fieldOf({ type: 'array', items: { enum: ['x', 'y'] }, minItems: 1 })).toMatchObject({
      kind: 'many',
      choices: [{ value: 'x' }, { value: 'y' }],
      least: 1,
      most: 2,
    });
  });

  it('an object is a group with the names its own fields require', () => {
    const group = fieldOf(object({ street: { type: 'string' }, city: { type: 'string' } }, 'city'));
    expect(group).toMatchObject({
      kind: 'group',
      fields: [
        { pointer: '/name/street', required: false },
        { pointer: '/name/city', required: true },
      ],
    });
  });

  it('follows local references and allOf; what is remote or circular becomes JSON', () => {
    const root = {
      ...object({
        a: { $ref: '#/$defs/amount', title: 'Sum' },
        b: { $ref: 'https://example.com/x' },
        c: { $ref: '#' },
      }),
      $defs: { amount: { allOf: [{ type: 'integer' }, { minimum: 3 }] } },
    };
    const [a, b, c] = fieldsOf(asks(root));
    expect(a).toMatchObject({ kind: 'number', whole: true, min: 3, label: 'Sum' });
    expect(b).toMatchObject({ kind: 'json' });
    expect(c).toMatchObject({ kind: 'group' });
  });

  it('a schema that refers to itself ends, in at most 150 fields', () => {
    const root = { ...object({ left: { $ref: '#' }, right: { $ref: '#' } }), $defs: {} };
    const count = (fields: readonly Field[]): number =>
      fields.reduce((sum, field) => sum + 1 + (field.kind === 'group' ? count(field.fields) : 0), 0);
    expect(count(fieldsOf(asks(root)))).toBeLessThanOrEqual(150);
  });

  it('references that double with every step end at once', () => {
    const twice = { allOf: [{ $ref: '#/properties/x' }, { $ref: '#/properties/x' }] };
    expect(fieldsOf(asks(object({ x: twice })))).toMatchObject([{ kind: 'json' }]);
  });

  it.each([[{ type: 'object' }], [{ type: 'object', anyOf: [object({ a: true })] }]])(
    'a root without properties (%j) is one JSON field for the whole answer',
    (schema) => {
      expect(fieldsOf(asks(schema))).toMatchObject([{ kind: 'json', pointer: '', required: true }]);
    },
  );

  it('labels are titles, or the names of properties in words; text of strangers is cleaned', () => {
    const fields = fieldsOf(
      asks(object({ costCentre: {}, due_date: {}, x: { title: 'A\u202e\u0007 \n title' }, 'a/b~c': {}, HTMLPage: {} })),
    );
    expect(fields.map(({ label }) => label)).toEqual(['Cost centre', 'Due date', 'A title', 'A/b~c', 'HTMLPage']);
    expect(fields[3]?.pointer).toBe('/a~1b~0c');
  });
});

describe('options', () => {
  const schema = object({ room: { type: 'string' }, people: { type: 'integer' } }, 'room');

  it('a list belongs to the one required property', () => {
    const [room, people] = fieldsOf(
      asks(schema, { options: ['Lisbon', { value: 'P', label: 'Porto', description: 'Small' }] }),
    );
    expect(room).toMatchObject({
      kind: 'choice',
      from: 'options',
      choices: [
        { value: 'Lisbon', label: 'Lisbon' },
        { value: 'P', label: 'Porto', description: 'Small' },
      ],
      other: undefined,
    });
    expect(people).toMatchObject({ kind: 'number' });
  });

  it('an object has a list for each property', () => {
    const [room, people] = fieldsOf(asks(schema, { options: { people: [2, 4] } }));
    expect(room).toMatchObject({ kind: 'text' });
    expect(people).toMatchObject({
      kind: 'choice',
      choices: [
        { value: 2, label: '2' },
        { value: 4, label: '4' },
      ],
    });
  });

  it('a list for several required properties belongs to none, and inherited names are no options', () => {
    const two = object({ room: { type: 'string' }, people: { type: 'integer' } }, 'room', 'people');
    expect(fieldsOf(asks(two, { options: ['a'] })).map(({ kind }) => kind)).toEqual(['text', 'number']);
    expect(fieldsOf(asks(object({ constructor: {} }), { options: {} }))).toMatchObject([{ kind: 'json' }]);
  });

  it('an object with other keys is itself the value', () => {
    const option = { value: 1, label: 'one', more: true };
    const [field] = fieldsOf(asks(object({ v: {} }, 'v'), { options: [option] }));
    expect(field).toMatchObject({ choices: [{ value: option }] });
  });

  it('allowOther gives a field of the property’s own kind', () => {
    const [field] = fieldsOf(
      asks(object({ n: { type: 'integer', minimum: 1 } }, 'n'), { options: [1, 2], allowOther: true }),
    );
    expect(field).toMatchObject({ kind: 'choice', other: { kind: 'number', min: 1, pointer: '/n', required: true } });
  });
});
