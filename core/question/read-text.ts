/**
 * What a plain text means as an answer. It is mapped only where one reading is certain: an option, a JSON object, or
 * the text itself where the schema asks for exactly one string. Nothing is turned into a number or a boolean.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Asked } from './asked.ts';
import { expectedChoice, type Judgement, judgeAnswer } from './judge-answer.ts';
import { type Choice, chosenByText } from './options.ts';
import { childPointer } from './pointer.ts';
import { questionNamed } from './read-answer.ts';
import { isText } from './schema-root.ts';
import type { AnswerError } from './types.ts';

export type TextReading =
  /** The text is a JSON object that speaks the convention: to be read like a data part. */
  | { readonly kind: 'data'; readonly data: JsonObject }
  | { readonly kind: 'judged'; readonly answer: JsonObject; readonly judgement: Judgement }
  /** For the author's `parseText`. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly error: AnswerError };

export function readText(asked: Asked, text: string): TextReading {
  if (Buffer.byteLength(text) > limits.answerBytes) {
    return unreadable('', `expected at most ${limits.answerBytes} bytes of text`);
  }
  const { only, open } = asked;
  const choices = only === undefined ? [] : (asked.choices.get(only) ?? []);
  const chosen = chosenByText(choices, text);
  if (only !== undefined && typeof chosen === 'object') return judged(asked, { [only]: chosen.value });
  const object = jsonObject(text);
  if (object && (questionNamed(object) !== undefined || Object.hasOwn(object, 'decline'))) {
    return { kind: 'data', data: object };
  }
  const asObject = object && judged(asked, object);
  if (asObject && asObject.judgement.errors.length === 0) return asObject;
  // Before the plain reading: an author who reads texts does not want a sentence taken for a city.
  if (open.parsesText) return { kind: 'text', text };
  if (only !== undefined && chosen === 'several')
    return unreadable(childPointer('', only), 'names more than one option');
  return asString(asked, text, asObject) ?? asObject ?? notCertain(asked, choices);
}

type Judged = Extract<TextReading, { kind: 'judged' }>;

function judged(asked: Asked, answer: JsonObject): Judged {
  return { kind: 'judged', answer, judgement: judgeAnswer(asked, answer) };
}

/** The text as it is, or without the space around it where only that is valid. */
function asString(asked: Asked, text: string, asObject: Judged | undefined): Judged | undefined {
  const { only } = asked;
  if (only === undefined || !isText(asked.schema.root.properties.get(only))) return undefined;
  const plain = judged(asked, { [only]: text });
  if (plain.judgement.errors.length === 0) return plain;
  if (text.trim() !== text) {
    const trimmed = judged(asked, { [only]: text.trim() });
    if (trimmed.judgement.errors.length === 0) return trimmed;
  }
  return asObject ?? plain;
}

function jsonObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notCertain({ only, schema }: Asked, choices: readonly Choice[]): TextReading {
  if (only !== undefined && choices.length > 0) return unreadable(childPointer('', only), expectedChoice(choices));
  const names = schema.root.required.length > 0 ? schema.root.required : [...schema.root.properties.keys()];
  const wanted = names.length > 0 ? ` with ${names.slice(0, 10).join(', ')}` : '';
  return unreadable('', `the text cannot be read as an answer; expected a data part${wanted}`);
}

function unreadable(pointer: string, message: string): TextReading {
  return { kind: 'unreadable', error: { pointer, message } };
}
