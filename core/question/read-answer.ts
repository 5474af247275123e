/**
 * Finds the answer in a message's parts. Data goes before text; files are not answers. Nothing is checked here against
 * the question's schema.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message } from '../message.ts';
import type { Asked } from './asked.ts';
import { shorten } from './error-words.ts';
import { QUESTION_EXTENSION_URI } from './extension.ts';
import type { AnswerError } from './types.ts';

export type Reading =
  | { readonly kind: 'answer'; readonly answer: JsonObject }
  | { readonly kind: 'decline'; readonly decline: Json; readonly rest: JsonObject }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other-question'; readonly questionId: string }
  | { readonly kind: 'unreadable'; readonly error: AnswerError };

export function readAnswer(open: Asked['open'], message: Message): Reading {
  const parts = message.parts.filter(isJsonObject);
  const data = parts.filter((part) => part.data !== undefined).map((part) => part.data as Json);
  const meant = data.some((value) => questionNamed(value) !== undefined) ? undefined : namedBeside(message);
  if (meant !== undefined && meant !== open.questionId) return { kind: 'other-question', questionId: meant };
  if (data.length > 0) return readDataParts(open, data);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length > 0) return { kind: 'text', text: texts.join('\n') };
  return unreadable('expected an answer as data or text; a file alone is not an answer');
}

/** Words cannot name their question: the message's metadata under our extension can. */
function namedBeside({ metadata }: Message): string | undefined {
  return questionNamed(metadata?.[QUESTION_EXTENSION_URI] ?? null);
}

/** The part that names the open question; when none names any, the only one. */
function readDataParts(open: Asked['open'], data: readonly Json[]): Reading {
  const named = data.filter((value) => questionNamed(value) !== undefined);
  const mine = named.filter((value) => questionNamed(value) === open.questionId);
  const candidates = named.length > 0 ? mine : data;
  const [first] = candidates;
  if (candidates.length > 1) return unreadable(`expected one data part with the answer, found ${candidates.length}`);
  return readData(open, candidates.length === 1 ? (first as Json) : (named[0] as Json));
}

/** What one data part, or a text that is a JSON object, says. */
export function readData(open: Asked['open'], data: Json): Reading {
  if (!isJsonObject(data)) {
    // A bare value can only be the wrapped one.
    return open.wrapped ? { kind: 'answer', answer: { value: data } } : unreadable('expected an object');
  }
  const questionId = questionNamed(data);
  if (questionId !== undefined && questionId !== open.questionId) return { kind: 'other-question', questionId };
  const { questionId: _id, decline, ...rest } = data;
  return decline === undefined || decline === null
    ? { kind: 'answer', answer: rest }
    : { kind: 'decline', decline, rest };
}

/** The question that data names. Some writers spell an absent field as null; what is no string names no open one. */
export function questionNamed(data: Json): string | undefined {
  if (!isJsonObject(data) || !Object.hasOwn(data, 'questionId')) return undefined;
  const { questionId } = data;
  if (questionId === null || questionId === undefined) return undefined;
  if (typeof questionId === 'string') return shorten(questionId, limits.idLength);
  return typeof questionId === 'object' ? 'not a string' : String(questionId);
}

function unreadable(message: string): Reading {
  return { kind: 'unreadable', error: { pointer: '', message } };
}
