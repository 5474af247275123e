/** The text of a re-ask: what was wrong, a blank line, the question as its author wrote it. */
import { shorten } from './error-words.ts';
import { pointerNames } from './pointer.ts';
import type { AnswerError } from './types.ts';

const ERRORS_TOLD = 5;
const ERROR_CHARS = 600;
const BREAK = '\n\n';

/**
 * @param text of the question that is replaced
 * @param repeated whether that one was a re-ask as well: its explanation is replaced, not kept
 */
export function repeatedText(
  text: string,
  repeated: boolean,
  errors: readonly AnswerError[],
  wrapped: boolean,
): string {
  // Explanations hold no blank line (`told` sees to it), so the first one ends the old explanation.
  const end = repeated ? text.indexOf(BREAK) : -1;
  const question = end < 0 ? text : text.slice(end + BREAK.length);
  return `${explanation(errors, wrapped)}${BREAK}${question}`;
}

function explanation(errors: readonly AnswerError[], wrapped: boolean): string {
  const told = errors.slice(0, ERRORS_TOLD).map((error) => tell(error, wrapped));
  const rest = errors.length - told.length;
  if (rest > 0) told.push(`and ${rest} more`);
  return `That answer could not be accepted${told.length === 0 ? '.' : `: ${told.join('; ')}.`}`;
}

function tell({ pointer, message }: AnswerError, wrapped: boolean): string {
  const names = pointerNames(pointer).slice(wrapped ? 1 : 0);
  const text = names.length === 0 ? message : `${names.join(' / ')}: ${message}`;
  return shorten(text.replace(/\s+/g, ' ').trim().replace(/\.$/, ''), ERROR_CHARS);
}
