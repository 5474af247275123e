/**
 * Makes text of strangers fit to be shown to a person: nothing that moves a cursor, hides, or turns round what is
 * read, and no more than a page of it. For terminals and for pages. What is sent back to an agent is never cleaned.
 */
import { shorten } from './question/error-words.ts';

/** `limits.questionTextBytes`; written here, since the inbox page is bundled with this file and has no use for limits. */
export const TEXT_CHARS = 8_192;

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
export function cleanText(text: string, chars: number = TEXT_CHARS): string {
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

/** For one line: labels, names, messages. */
export function cleanLine(text: string, chars = 500): string {
  return shorten(cleanText(text, chars).replace(/\s+/g, ' '), chars);
}
