/**
 * Refuses a pattern that can blow up, before a question with it is asked. Two looks: its loops, and a trial on texts that
 * make backtracking engines suffer. What slips through both still runs into the time limit of every validation. Why all
 * this: docs/decisions/0008 and 0016.
 */
import { limits } from '../limits.ts';
import { isAmbiguousLoop } from './regex-ambiguity.ts';
import { OutOfTime, withinTime } from './time-limit.ts';

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
  return hasAmbiguousLoop(pattern) || isSlow(regex, pattern) ? TOO_SLOW : undefined;
}

const TOO_SLOW = 'can take exponential time to match; write its loops so that a text can be read in one way only';

/** What cannot be judged is left to the trial. */
function hasAmbiguousLoop(pattern: string): boolean {
  try {
    return withinTime(() => isAmbiguousLoop(pattern)) === true;
  } catch (error) {
    if (error instanceof OutOfTime) return false;
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
