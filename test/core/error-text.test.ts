/** Authors' code and other people's libraries may throw anything. */
import { expect, it } from 'vitest';
import { errorText } from '../../core/error-text.ts';

it.each([
  [new TypeError('no such column'), 'no such column'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ code: 7 }, '[object Object]'],
])('what is said of %o', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});
