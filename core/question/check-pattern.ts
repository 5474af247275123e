/**
 * Refuses a pattern that can blow up, before a question with it is asked. Three looks: its loops, a second opinion
 * where those cannot be judged, and a trial on texts that make backtracking engines suffer. What slips through all
 * three still runs into the time limit of every validation. Why all this: docs/decisions/0008.
 */
import { createRequire } from 'node:module';
import { limits } from '../limits.ts';
import { isAmbiguousLoop } from './regex-ambiguity.ts';
import { OutOfTime, withinTime } from './time-limit.ts';

type SafeRegex = typeof import('safe-regex2');

/** Long enough for exponential time to show, short enough for cubic time not to. */
const REPEATS = 50;

/** What is wrong with the pattern; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  let regex: RegExp;
  try {
    // The flag is JSON Schema's recommendation and what the validator compiles with.
    regex = withinTime(() => new RegExp(pattern, 'u'));
  } catch (error) {
    return error instanceof OutOfTime ? TOO_SLOW : `is not a regular expression: ${(error as Error).message}`;
  }
  const ambiguous = judgeLoops(pattern);
  if (ambiguous === true) return TOO_SLOW;
  if (ambiguous === undefined && !loadSafeRegex()(pattern)) return TOO_SLOW;
  return isSlow(regex, pattern) ? TOO_SLOW : undefined;
}

const TOO_SLOW = 'can take exponential time to match; write its loops so that a text can be read in one way only';

function judgeLoops(pattern: string): boolean | undefined {
  try {
    return withinTime(() => isAmbiguousLoop(pattern));
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

function isSlow(regex: RegExp, pattern: string): boolean {
  const texts = hostileTexts(pattern);
  try {
    withinTime(() => {
      for (const text of texts) regex.test(text);
    });
    return false;
  } catch (error) {
    if (error instanceof OutOfTime) return true;
    throw error;
  }
}

/** Each piece of the pattern's own literal text, repeated, after its literal beginning and before a wrong end. */
function hostileTexts(pattern: string): string[] {
  const words = pattern.match(/[\p{L}\p{N}]+/gu) ?? [];
  const units = new Set([...words.slice(0, 20), ...[...pattern].slice(0, 60), 'a', 'A', '0', ' ', 'é']);
  const beginning = /^\^?([\p{L}\p{N}_@:/ -]*)/u.exec(pattern)?.[1] ?? '';
  const starts = beginning === '' ? [''] : ['', beginning.slice(0, limits.idLength)];
  return starts.flatMap((start) =>
    [...units].flatMap((unit) => [`${start}${unit.repeat(REPEATS)}\u0000`, start + unit.repeat(REPEATS)]),
  );
}

let loaded: SafeRegex | undefined;

/** Loaded when needed and by a bundler's `require` where there is one: see load-ajv.ts. */
function loadSafeRegex(): SafeRegex {
  loaded ??=
    typeof require === 'function'
      ? (require('safe-regex2') as SafeRegex)
      : (createRequire(import.meta.url)('safe-regex2') as SafeRegex);
  return loaded;
}
