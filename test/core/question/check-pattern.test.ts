import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternProblem } from '../../../core/question/check-pattern.ts';
import { isAmbiguousLoop } from '../../../core/question/regex-ambiguity.ts';

const blowsUp = [
  '^(a+)+$',
  '(a|a)*$',
  '^(a|aa)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '^(\\w+\\s?)*$',
  '^(\\p{L}+ ?)+$',
  '^(a*)*$',
  '^(a*b?)*c$',
  '^([a-c]|[c-e])*$',
  '(a{1,30}){1,30}b',
  '^(ab|a|b)*$',
  '^(?<name>x+)+$',
  '^(?=(a+)+b)a',
  '^(https?://)?([\\da-z.\\-]+)\\.([a-z.]{2,6})([/\\w .\\-]*)*/?$',
  '^(\\d+)*\\1$',
  '^((a+)\\2)+$',
  '^(?<n>\\w+)*\\k<n>$',
  '^(?:a?){30}a{30}$',
];

const harmless = [
  '',
  '^.*$',
  '^CC-[0-9]{4}$',
  '^\\d{1,3}(,\\d{3})*$',
  '^([A-Z]{3}-)?\\d+(\\.\\d{2})?$',
  '^[a-z]+(-[a-z]+)*$',
  '^\\w+(\\s\\w+)*$',
  '^[0-9a-f]{64}$',
  '^\\s*(.*?)\\s*$',
  '^(?:[0-9]{4})+$',
  '^"(?:[^"\\\\]|\\\\.)*"$',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$',
  '^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?$',
  '^(?!\\.)[a-z.]+$',
  '^(a(b(c)?)?)*$',
  '^[\\u{1F600}-\\u{1F64F}]+$',
  '^[^\\]\\-^]{2,30}$',
  '^(a|b)\\1$',
  '^(\'|")[^\'"]*\\1$',
  '^(?<q>\'|")\\w+\\k<q>$',
  '^(\\w{1,64})=\\1(,\\w{1,64}=\\w{1,64})*$',
];

describe('patterns that can blow up are refused at ask time (section 6, R73)', () => {
  it.each(blowsUp)('%s', (pattern) => {
    expect(patternProblem(pattern)).toBe(
      'can take exponential time to match; write its loops so that a text can be read in one way only',
    );
  });

  it.each(blowsUp.slice(0, -1))('%s is found by its loops alone, without a trial', (pattern) => {
    expect(isAmbiguousLoop(pattern)).toBe(true);
  });

  it.each(harmless)('%s has no loop with two ways round', (pattern) => {
    expect(isAmbiguousLoop(pattern)).toBe(false);
  });

  it('what is too large to be judged is only tried', () => {
    const words = Array.from({ length: 400 }, (_, n) => `w${String(n).padStart(4, '0')}`).join('|');
    expect(isAmbiguousLoop(`^(?:${words})$`)).toBeUndefined();
    expect(patternProblem(`^(?:${words})$`)).toBeUndefined();
    expect(patternProblem(`^(?:${words})?(a+)+$`)).toMatch(/^can take exponential time/);
  });

  it('says what is wrong with what is no regular expression', () => {
    expect(patternProblem('[')).toMatch(/^is not a regular expression: /);
    expect(patternProblem('\\-')).toMatch(/^is not a regular expression: /);
  });

  it('ends for any pattern', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '[a-c]',
      '(',
      ')',
      '(?:',
      '|',
      '*',
      '+',
      '?',
      '{2,3}',
      '{9,}',
      '^',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const started = process.cpuUsage();
        patternProblem(pieces.join(''));
        return process.cpuUsage(started).user < 1_500_000;
      }),
      { numRuns: 300 },
    );
  });
});

describe('ordinary patterns are accepted', () => {
  it.each(harmless)('%s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });
});
