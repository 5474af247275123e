/** Checks one answer against limits, schema and options; says what is wrong and keeps what is right. */
import type { Json, JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Asked } from './asked.ts';
import { expectedOneOf } from './error-words.ts';
import { ANSWER_BOUNDS, boundErrors } from './json-bounds.ts';
import { type Choice, type Choices, isAmong } from './options.ts';
import { childPointer, isWithin, pointerNames } from './pointer.ts';
import { OutOfTime } from './time-limit.ts';
import type { AnswerError } from './types.ts';
import { OUT_OF_TIME, runValidation, type Validation } from './validate.ts';

export interface Judgement {
  /** Empty: the answer is accepted. */
  readonly errors: readonly AnswerError[];
  /** Declared properties that were right in themselves; never `writeOnly` ones. */
  readonly prefill?: JsonObject;
}

/** @param answer as the caller sent it, without `questionId` */
export function judgeAnswer(asked: Asked, answer: JsonObject): Judgement {
  const outOfBounds = boundErrors(answer, ANSWER_BOUNDS);
  if (outOfBounds.length > 0) return { errors: tellable(asked, outOfBounds) };
  const found = validation(asked, answer);
  if (!found) return { errors: [OUT_OF_TIME] };
  const refused = asked.open.allowOther ? [] : refusedChoices(asked.choices, answer);
  const others = found.errors.filter(({ pointer }) => !refused.some((error) => isWithin(pointer, error.pointer)));
  const errors = tellable(asked, [...refused, ...others]);
  if (errors.length === 0) return { errors };
  const wrong = new Set([...found.wrong, ...refused.flatMap(({ pointer }) => pointerNames(pointer))]);
  const right = [...asked.schema.root.properties.keys()].filter(
    (name) => Object.hasOwn(answer, name) && !wrong.has(name) && !asked.secret.includes(name),
  );
  if (right.length === 0) return { errors };
  return { errors, prefill: Object.fromEntries(right.map((name) => [name, answer[name] as Json])) };
}

function validation(asked: Asked, answer: JsonObject): Validation | undefined {
  try {
    return runValidation(asked.schema, answer);
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

/** What of an answer is not among its choices. */
export function refusedChoices(choices: Choices, answer: JsonObject): AnswerError[] {
  return [...choices]
    .filter(([property, list]) => Object.hasOwn(answer, property) && !isAmong(list, answer[property] as Json))
    .map(([property, list]) => ({ pointer: childPointer('', property), message: expectedChoice(list) }));
}

/** Values, because they are what must be sent; a label only where the value is no word. */
export function expectedChoice(choices: readonly Choice[]): string {
  return expectedOneOf(
    choices.map(({ value, label }) => (typeof value === 'object' && value !== null && label ? label : value)),
  );
}

/**
 * At most 20, different ones. Where something is secret, nothing of the answer's own making is repeated: neither what
 * lies within a secret property, nor the name of a property that the schema does not know.
 */
function tellable({ secret, schema }: Asked, errors: readonly AnswerError[]): AnswerError[] {
  if (secret.length === 0) return errors.slice(0, limits.answerErrorsReported);
  const told = new Map<string, AnswerError>();
  for (const error of errors) {
    const [name] = pointerNames(error.pointer);
    const known = name === undefined || schema.root.properties.has(name);
    const pointer = !known ? '' : name !== undefined && secret.includes(name) ? childPointer('', name) : error.pointer;
    const message = known ? error.message : `a property that is not in the schema: ${error.message}`;
    told.set(`${pointer} ${message}`, { pointer, message });
  }
  return [...told.values()].slice(0, limits.answerErrorsReported);
}
