/**
 * Makes text of strangers fit to be shown to a person: nothing that moves a cursor, hides, or turns round what is
 * read, and no more than a page of it. What is sent back to an agent is never cleaned.
 */
import { limits } from '../core/limits.ts';
import { shorten } from '../core/question/error-words.ts';
import { AgentMisbehavedError } from './errors.ts';

/** Terminal sequences as a whole, or their tails would stay: CSI, OSC and the like, then two-character ones. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]{0,16}[0-~]/g;
/** Controls but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Lone surrogates, bidi marks, overrides and isolates, invisible and tag characters. */
const HIDDEN =
  /\p{Cs}|\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** @param chars at most this many characters are kept; default 8,192 */
export function cleanText(text: string, chars: number = limits.questionTextBytes): string {
  // Cut first, so that the work is bounded whatever came; what is hidden counts too.
  const bounded = text.length > 4 * chars ? text.slice(0, 4 * chars) : text;
  const clean = bounded
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')
    .replace(HIDDEN, '')
    .trim();
  return shorten(clean, chars);
}

/** What JSON leaves as it is and a terminal does not: C1 controls, line separators, marks of direction, the invisible. */
const UNSEEN_IN_JSON = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

/**
 * JSON in one line with the same value, and nothing in it that a terminal takes for more than text.
 * @throws AgentMisbehavedError for what is nested so deeply that it cannot be written
 */
export function plainJson(value: unknown): string {
  return jsonText(value).replace(UNSEEN_IN_JSON, (found) =>
    Array.from({ length: found.length }, (_, n) => `\\u${found.charCodeAt(n).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** As `JSON.stringify`, which runs out of stack on what `JSON.parse` takes. */
export function jsonText(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space);
  } catch (cause) {
    throw new AgentMisbehavedError('the agent sent data that is nested too deeply', { cause });
  }
}

/** For one line: labels, names, messages. */
export function cleanLine(text: string, chars = 500): string {
  return shorten(cleanText(text, chars).replace(/\s+/g, ' '), chars);
}
