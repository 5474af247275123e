/** Sizes are counted without making the text: they must be those of the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../core/json.ts';

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
