/** Sizes are counted without making the text: they must be those of the text. And one value has one canonical text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, jsonBytes } from '../../core/json.ts';

describe('the size of a JSON value', () => {
  it.each<[string, unknown, number]>([
    ['null', null, 4],
    ['true', true, 4],
    ['false', false, 5],
    ['an integer', -120, 4],
    ['negative zero', -0, 1],
    ['a large number', 1e21, 5],
    ['what JSON has no number for', Number.NaN, 4],
    ['no text', '', 2],
    ['a text', 'CC-4410', 9],
    ['a text with quotes and backslashes', '"\\', 6],
    ['controls', '\n\u0001', 10],
    ['a character of two bytes', 'é', 4],
    ['a character beyond the basic plane', '😀', 6],
    ['half of it', '\ud83d', 8],
    ['delete, which stands as it is', '\u007f', 3],
    ['an empty list', [], 2],
    ['a list', [1, 'a', null], 12],
    ['a list with nothing at a place', [undefined, 1], 8],
    ['an empty object', {}, 2],
    ['an object', { a: 1, 'b"': [true] }, 20],
    ['an object with properties that JSON leaves out', { a: undefined, b: 1, c: undefined }, 7],
    ['an object of those alone', { a: undefined }, 2],
    ['nothing', undefined, 0],
  ])('is that of its compact JSON in UTF-8: %s', (_what, value, bytes) => {
    expect(jsonBytes(value)).toBe(bytes);
  });

  it('is that of its compact JSON in UTF-8: any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
        expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('canonical JSON', () => {
  it.each<[string, string, string]>([
    ['sorts the names, at every depth', '{"b":[{"d":1,"c":2}],"a":{}}', '{"a":{},"b":[{"c":2,"d":1}]}'],
    ['sorts numbers as the texts that they are', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}'],
    [
      'keeps names of prototypes',
      '{"toString":1,"__proto__":{"b":1,"a":2}}',
      '{"__proto__":{"a":2,"b":1},"toString":1}',
    ],
    ['keeps an empty name', '{"a":1,"":{"":2}}', '{"":{"":2},"a":1}'],
    ['writes text as JSON.stringify does', '{"\\"\\\\":"\\n\\u007f\\ud800é😀"}', '{"\\"\\\\":"\\n\u007f\\ud800é😀"}'],
    ['writes numbers as JSON.stringify does', '[-0,1e21,0.10,null,true]', '[0,1e+21,0.1,null,true]'],
  ])('%s', (_what, json, canonical) => {
    expect(canonicalJson(JSON.parse(json))).toBe(canonical);
  });

  it('leaves out what JSON leaves out', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, 1], c: undefined })).toBe('{"a":[null,1]}');
  });

  it('is the same whatever the order of the names, and of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** The same value, the names of its objects the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}
