/** Codes and signatures are compared whole. */
import { expect, it } from 'vitest';
import { sameText } from '../../core/same-text.ts';

it.each([
  ['', '', true],
  ['code', 'code', true],
  ['code', 'codE', false],
  ['code', 'code ', false],
  ['code', '', false],
  // As many characters, not as many bytes.
  ['e', 'é', false],
])('%j and %j are the same: %s', (a, b, same) => {
  expect(sameText(a, b)).toBe(same);
});
