/**
 * Reads the question of another agent's status message, and judges an answer before it is sent there. The other agent
 * is a stranger: what is too large, too deep, leads elsewhere or takes too long is not used, and its words remain.
 * Pure; neither shows nor sends anything.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message, Part } from '../message.ts';
import { checkSchema } from './check-schema.ts';
import { shorten } from './error-words.ts';
import { SchemaProblem } from './expand-schema.ts';
import { boundErrors } from './json-bounds.ts';
import { askedFor } from './asked.ts';
import { judgeAnswer } from './judge-answer.ts';
import { choicesOf } from './options.ts';
import { OutOfTime } from './time-limit.ts';
import type { AnswerError, QuestionData } from './types.ts';
import { compile, prepare } from './validate.ts';

/** JSON throughout, so that it can be recorded as it was understood once. */
export interface ForeignQuestion {
  /** Its words; empty when there are none. */
  readonly text: string;
  /** Absent: the agent does not follow the question convention. */
  readonly questionId?: string;
  /** Checked, with an object at its root. Absent: to be answered in words. */
  readonly schema?: JsonObject;
  readonly options?: NonNullable<QuestionData['options']>;
  readonly allowOther: boolean;
  /** Milliseconds since the epoch by the agent's clock. */
  readonly expiresAtMs?: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** On a re-ask: what was wrong with the last answer. */
  readonly errors: readonly AnswerError[];
  /** Why a question of the convention is left to its words. */
  readonly problem?: string;
}

/** This data part cannot be used as a question. */
class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Throws for nothing that an agent sends. */
export function readForeignQuestion(message: Message | undefined): ForeignQuestion {
  const given: unknown = message?.parts;
  const parts = (Array.isArray(given) ? given.filter(isJsonObject) : []) as readonly Part[];
  const words = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
  const text = shorten(words.slice(0, limits.questionTextBytes), limits.questionTextBytes).trim();
  const data = parts.map((part) => part.data).find((value) => isJsonObject(value) && 'questionId' in value);
  const plain: ForeignQuestion = { text, allowOther: true, attempt: 1, maxAttempts: 1, errors: [] };
  if (!isJsonObject(data)) return plain;
  const questionId = shortText(data.questionId, limits.idLength);
  const expiresAtMs = typeof data.expires === 'string' ? Date.parse(data.expires) : Number.NaN;
  const attempt = countOf(data.attempt, 1);
  const known: ForeignQuestion = {
    ...plain,
    ...(questionId === undefined ? {} : { questionId }),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
    attempt,
    maxAttempts: Math.max(attempt, countOf(data.maxAttempts, attempt)),
    errors: errorsOf(data.errors),
  };
  try {
    if (questionId === undefined) throw new Unusable('its questionId is no short string');
    return { ...known, ...formOf(data) };
  } catch (error) {
    if (error instanceof OutOfTime) return { ...known, problem: 'its schema takes too long to check' };
    if (!(error instanceof Unusable || error instanceof SchemaProblem)) throw error;
    return { ...known, problem: shorten(error.message, MESSAGE_CHARS) };
  }
}

/**
 * What the question's schema and options find wrong with an answer; empty: it can be sent. Ends in time whatever the
 * schema is. A question without a schema takes anything.
 * @param answer the properties of the answer, without `questionId`
 */
export function judgeForeignAnswer(question: ForeignQuestion, answer: JsonObject): readonly AnswerError[] {
  if (question.schema === undefined) return [];
  const { questionId = '', allowOther, options } = question;
  const schema = prepare(question.schema);
  const open = { questionId, ...(allowOther ? { allowOther } : {}) };
  const asked = askedFor(open, schema, choicesOf(options, schema.root));
  return judgeAnswer(asked, answer).errors;
}

/** The one required property of the answer, which a bare value stands for; undefined: there is none, or more than one. */
export function onlyProperty({ schema }: ForeignQuestion): string | undefined {
  if (schema === undefined) return undefined;
  const [only, ...more] = prepare(schema).root.required;
  return more.length === 0 ? only : undefined;
}

/** The properties of the answer that are `writeOnly`. */
export function secretProperties({ schema }: ForeignQuestion): readonly string[] {
  return schema === undefined ? [] : prepare(schema).root.secret;
}

function formOf(data: JsonObject): Pick<ForeignQuestion, 'schema' | 'options' | 'allowOther'> {
  if (!isJsonObject(data.answerSchema)) throw new Unusable('it has no answerSchema');
  const { schema, wrapped } = checkSchema(data.answerSchema);
  if (wrapped) throw new Unusable('the root of its schema is not an object');
  try {
    compile(prepare(schema));
  } catch (error) {
    if (error instanceof OutOfTime || error instanceof SchemaProblem) throw error;
    throw new Unusable(`its schema means nothing: ${(error as Error).message}`);
  }
  const options = optionsOf(data.options);
  return { schema, ...(options ? { options } : {}), allowOther: data.allowOther === true || options === undefined };
}

function optionsOf(options: Json | undefined): QuestionData['options'] {
  if (options === undefined || options === null) return undefined;
  const [problem] = boundErrors(options, {
    bytes: limits.questionOptionsBytes,
    depth: limits.schemaDepth,
    arrayItems: limits.questionOptionsMax,
  });
  if (problem) throw new Unusable(`its options: ${problem.message}`);
  const lists = Array.isArray(options) || (isJsonObject(options) && Object.values(options).every(Array.isArray));
  if (!lists) throw new Unusable('its options are no lists');
  return options as NonNullable<QuestionData['options']>;
}

const POINTER_CHARS = 256;
const MESSAGE_CHARS = 500;

function errorsOf(errors: Json | undefined): AnswerError[] {
  if (!Array.isArray(errors)) return [];
  return (errors as readonly Json[]).slice(0, limits.answerErrorsReported).flatMap((error) => {
    if (!isJsonObject(error) || typeof error.message !== 'string') return [];
    const pointer = typeof error.pointer === 'string' && error.pointer.length <= POINTER_CHARS ? error.pointer : '';
    return [{ pointer, message: shorten(error.message, MESSAGE_CHARS) }];
  });
}

function countOf(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : otherwise;
}

function shortText(value: Json | undefined, most: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
}
