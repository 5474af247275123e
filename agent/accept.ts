/**
 * From what the API accepted to what the code gets: `parseText`, a library schema's own check, the author's `check`.
 * Runs in the turn after the answer, before `ask` returns.
 */
import { AgentFault } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { TEXT_SCHEMA } from '../core/question/check-ask.ts';
import { checkSchema } from '../core/question/check-schema.ts';
import { refusedChoices } from '../core/question/judge-answer.ts';
import { choicesOf } from '../core/question/options.ts';
import type { AnswerError } from '../core/question/types.ts';
import { prepare, validateValue } from '../core/question/validate.ts';
import { RefuseAnswer } from './errors.ts';
import { toJson } from './json-value.ts';
import type { AskOptions, CheckResult } from './question.ts';
import { type AnswerSchema, isStandard, jsonSchemaOf, validateStandard } from './schema.ts';

/** What the API accepted: a value of the schema, or text for `parseText`. */
export type Given = { readonly value: Json } | { readonly text: string };

export type Verdict =
  /** `keep`: author's code made or judged it, so it is recorded and that code does not run again. */
  | { readonly value: Json; readonly keep: boolean }
  /** Pointers as in the answer on the wire. */
  | { readonly errors: readonly AnswerError[] };

type Options = AskOptions<AnswerSchema | undefined>;
type Check = (answer: unknown) => CheckResult | Promise<CheckResult>;

/** The value itself where no code of the author's parses or judges it: such code is watched, and that costs. */
export function asGiven({ schema, check }: Options, given: Given): Json | undefined {
  if ('text' in given || check || (schema !== undefined && isStandard(schema))) return undefined;
  return schema === undefined ? textOf(given.value) : given.value;
}

/** For what `asGiven` leaves to it. Throws what the author's code throws, except RefuseAnswer; AgentFault for the author's mistakes. */
export async function accept(name: string, options: Options, given: Given): Promise<Verdict> {
  const { schema, check } = options;
  try {
    const input = 'text' in given ? await parse(name, options, given.text) : given.value;
    const errors = 'text' in given ? parsedErrors(name, options, input) : [];
    if (errors.length > 0) return { errors };
    let value: unknown = schema === undefined ? textOf(input) : input;
    if (schema !== undefined && isStandard(schema)) {
      const result = await validateStandard(schema, value as Json);
      if ('errors' in result) throw new RefuseAnswer(result.errors);
      value = result.value;
    }
    if (check) await runCheck(name, check as Check, value);
    // A record of its own would show what is `writeOnly`; then the same code judges the same value in every turn.
    return { value: toJson(value, `the answer to ask "${name}"`), keep: !hasSecrets(name, schema) };
  } catch (error) {
    if (error instanceof RefuseAnswer) return refused(error.errors, wrapPointer(name, schema));
    throw error;
  }
}

/** The default at expiry in the form that the code gets. No `check`: it is the author's own value. */
export async function acceptDefault(name: string, schema: AnswerSchema | undefined, value: Json): Promise<Json> {
  if (schema === undefined) return textOf(value);
  if (!isStandard(schema)) return value;
  const result = await validateStandard(schema, value);
  if ('value' in result) return toJson(result.value, `the default of ask "${name}"`);
  const [error] = result.errors;
  throw new AgentFault('BAD_QUESTION', `ask "${name}": its schema refuses its default: ${error?.message}`);
}

/** Runs the author's check; throws RefuseAnswer, or AgentFault for a result that is neither. */
export async function runCheck(name: string, check: Check, value: unknown): Promise<void> {
  const result: unknown = await check(value);
  if (result === undefined || result === null || result === '') return;
  if (Array.isArray(result) && result.length === 0) return;
  if (result instanceof RefuseAnswer) throw result;
  const errors: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (!errors.every(isError)) {
    throw new AgentFault('BAD_CALL', `check of ask "${name}" returns nothing or what is wrong, not ${String(result)}`);
  }
  throw new RefuseAnswer(errors);
}

export function refused(errors: readonly AnswerError[], root: string): { readonly errors: readonly AnswerError[] } {
  return {
    errors: errors
      .slice(0, limits.answerErrorsReported)
      .map(({ pointer, message }) => ({ pointer: `${root}${pointer}`, message })),
  };
}

/** Whether the answer holds what must be in no record but the sealed one. */
export function hasSecrets(name: string, schema: AnswerSchema | undefined): boolean {
  return schema !== undefined && prepare(wireSchema(name, schema).schema).root.secret.length > 0;
}

async function parse(name: string, { parseText }: Options, text: string): Promise<Json> {
  if (!parseText) throw new AgentFault('CODE_CHANGED', `ask "${name}" was answered by text and has no parseText`);
  const value: unknown = await parseText(text);
  if (value instanceof RefuseAnswer) throw value;
  return toJson(value, `what parseText of ask "${name}" returned`);
}

/** The API has not seen what parseText made of the text: the same checks as there. */
function parsedErrors(name: string, { schema, options, allowOther }: Options, value: Json): readonly AnswerError[] {
  const form: { schema: JsonObject; wrapped: boolean } =
    schema === undefined ? { schema: TEXT_SCHEMA, wrapped: false } : wireSchema(name, schema);
  const answer: Json = schema === undefined ? { text: value } : form.wrapped ? { value } : value;
  const errors = validateValue(form.schema, answer);
  if (errors.length > 0 || options === undefined || allowOther || !isJsonObject(answer)) return errors;
  return refusedChoices(choicesOf(options, prepare(form.schema).root), answer);
}

function wireSchema(name: string, schema: AnswerSchema) {
  return checkSchema(jsonSchemaOf(schema, `ask "${name}"`));
}

/** On the wire an answer is an object: where in it the value stands that the code sees. */
function wrapPointer(name: string, schema: AnswerSchema | undefined): string {
  if (schema === undefined) return '/text';
  return wireSchema(name, schema).wrapped ? '/value' : '';
}

/** An answer without a schema is the one property `text`. */
function textOf(value: Json): Json {
  return isJsonObject(value) && value.text !== undefined ? value.text : value;
}

function isError(error: unknown): error is string | AnswerError {
  if (typeof error === 'string') return error !== '';
  if (typeof error !== 'object' || error === null) return false;
  const { pointer, message } = error as Partial<AnswerError>;
  return typeof pointer === 'string' && typeof message === 'string';
}
