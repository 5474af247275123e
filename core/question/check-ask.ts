/** Checks what an author asks for, fills in the defaults, and names every mistake with its place. */
import { AgentFault } from '../errors.ts';
import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { checkSchema } from './check-schema.ts';
import { shorten } from './error-words.ts';
import { SchemaProblem } from './expand-schema.ts';
import { ANSWER_BOUNDS, boundErrors, sameJson } from './json-bounds.ts';
import { lru } from './lru.ts';
import { type Choice, choicesOf, isOptionList } from './options.ts';
import { childPointer } from './pointer.ts';
import { OutOfTime } from './time-limit.ts';
import type { AnswerError, AskSpec, OnExpire, QuestionData } from './types.ts';
import { compile, firstErrors, type PreparedSchema, prepare, runValidation } from './validate.ts';

export interface CheckedAsk {
  readonly schema: JsonObject;
  readonly wrapped: boolean;
  readonly options: QuestionData['options'];
  readonly allowOther: boolean;
  readonly secret: readonly string[];
  readonly expiresInMs: number;
  readonly maxAttempts: number;
  readonly onExpire: OnExpire;
  readonly parsesText: boolean;
  /** Longest before expiry first. */
  readonly remindBeforeMs: readonly number[];
}

/** A question without a schema asks for text. */
export const TEXT_SCHEMA: JsonObject = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** A mistake in the spec; `checkAsk` adds which question it is. */
class Mistake extends Error {
  override readonly name = 'Mistake';
}

/** Asks that have passed, by all that is checked but the words: code asks the same in every task. */
const passed = lru<CheckedAsk>(limits.schemasCached);

/** @throws AgentFault BAD_QUESTION */
export function checkAsk(spec: AskSpec): CheckedAsk {
  try {
    checkText(spec);
    const { name: _name, text: _text, expiresByMs: _bound, relays: _relays, ...form } = spec;
    const key = JSON.stringify(form);
    const known = passed.get(key);
    if (known) return known;
    const checked = check(spec);
    passed.set(key, checked);
    return checked;
  } catch (error) {
    if (!(error instanceof Mistake || error instanceof SchemaProblem || error instanceof OutOfTime)) throw error;
    const what = error instanceof OutOfTime ? 'the schema takes too long to check' : error.message;
    throw new AgentFault('BAD_QUESTION', `question "${spec.name}": ${what}`, { cause: error });
  }
}

function check(spec: AskSpec): CheckedAsk {
  const { schema, wrapped } =
    spec.schema === undefined ? { schema: TEXT_SCHEMA, wrapped: false } : checkSchema(spec.schema);
  const prepared = prepare(schema);
  compiled(prepared);
  const { secret } = prepared.root;
  if (jsonBytes(secret) > limits.secretNamesBytes) {
    throw new Mistake(`the names of writeOnly properties have more than ${limits.secretNamesBytes} bytes together`);
  }
  if (secret.length > 0 && spec.parsesText) {
    throw new Mistake('parseText cannot be used with writeOnly properties: the text would be recorded');
  }
  const allowOther = spec.allowOther === true;
  const options = checkOptions(spec.options, allowOther, prepared);
  const expiresInMs = whole('expiresIn', spec.expiresInMs ?? limits.questionExpiryDefaultMs, 'ms', [
    limits.questionExpiryMinMs,
    limits.questionExpiryMaxMs,
  ]);
  return {
    schema,
    wrapped,
    options,
    allowOther,
    secret,
    expiresInMs,
    maxAttempts: whole('maxAttempts', spec.maxAttempts ?? limits.questionAttemptsDefault, '', [
      1,
      limits.questionAttemptsMax,
    ]),
    onExpire: checkOnExpire(spec.onExpire ?? { then: 'fail' }, prepared, wrapped),
    parsesText: spec.parsesText === true,
    remindBeforeMs: checkReminders(spec.remindBeforeMs ?? [], expiresInMs),
  };
}

function checkText({ name, text }: AskSpec): void {
  if (typeof name !== 'string' || name === '' || name.length > limits.idLength) {
    throw new Mistake(`the name must be a string of 1 to ${limits.idLength} characters`);
  }
  if (typeof text !== 'string' || text.trim() === '') throw new Mistake('the text must say what is asked');
  if (Buffer.byteLength(text) > limits.questionTextBytes) {
    throw new Mistake(`the text is longer than ${limits.questionTextBytes} bytes`);
  }
}

/** What the validator itself cannot make sense of is the author's mistake as well. */
function compiled(prepared: PreparedSchema): void {
  try {
    compile(prepared);
  } catch (error) {
    if (error instanceof OutOfTime) throw error;
    throw new SchemaProblem('', `cannot be compiled: ${(error as Error).message}`, { cause: error });
  }
}

function whole(name: string, value: number, unit: string, [min, max]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Mistake(`${name} must be a whole number from ${min} to ${max}${unit && ` ${unit}`}, not ${String(value)}`);
}

function checkReminders(before: readonly number[], expiresInMs: number): number[] {
  if (before.length > limits.remindersMax) throw new Mistake(`at most ${limits.remindersMax} reminders are possible`);
  for (const ms of before) whole('remind.before', ms, 'ms', [1, expiresInMs - 1]);
  return [...new Set(before)].sort((a, b) => b - a);
}

function checkOnExpire(onExpire: OnExpire, prepared: PreparedSchema, wrapped: boolean): OnExpire {
  if (onExpire.then !== 'default') return onExpire;
  const [problem] = boundErrors(onExpire.value, { ...ANSWER_BOUNDS, bytes: limits.defaultValueBytes });
  if (problem) throw new Mistake(`the default at expiry: ${at(problem)}`);
  const value: Json = wrapped ? { value: onExpire.value } : onExpire.value;
  const secret = prepared.root.secret.find((name) => isJsonObject(value) && Object.hasOwn(value, name));
  if (secret !== undefined) throw new Mistake(`the default at expiry must not hold the writeOnly property ${secret}`);
  const [refused] = runValidation(prepared, value).errors;
  if (refused) throw new Mistake(`the default at expiry is refused by the schema: ${at(refused)}`);
  return onExpire;
}

function at({ pointer, message }: AnswerError): string {
  return pointer === '' ? message : `${pointer}: ${message}`;
}

function checkOptions(
  options: QuestionData['options'],
  allowOther: boolean,
  prepared: PreparedSchema,
): QuestionData['options'] {
  if (options === undefined) return undefined;
  const bounds = {
    bytes: limits.questionOptionsBytes,
    depth: limits.schemaDepth,
    arrayItems: limits.questionOptionsMax,
  };
  const [problem] = boundErrors(options, bounds);
  if (problem) throw new Mistake(`the options: ${at(problem)}`);
  if (!isOptionList(options) && !(isJsonObject(options) && Object.values(options).every(Array.isArray))) {
    throw new Mistake('the options must be a list, or an object of lists by property');
  }
  const { required } = prepared.root;
  if (isOptionList(options) && required.length !== 1) {
    throw new Mistake(`options as a list need exactly one required property, and the schema has ${required.length}`);
  }
  const choices = choicesOf(options, prepared.root);
  for (const [property, list] of choices) checkChoices(property, list, allowOther, prepared);
  return oneForm(options, required);
}

/** On the wire a list when the schema has one required property and nothing else has options. */
function oneForm(options: NonNullable<QuestionData['options']>, required: readonly string[]): QuestionData['options'] {
  if (isOptionList(options)) return options.length === 0 ? undefined : options;
  const filled = Object.entries(options).filter(([, list]) => list.length > 0);
  const [only] = filled;
  if (!only) return undefined;
  return filled.length === 1 && required.length === 1 && only[0] === required[0] ? only[1] : Object.fromEntries(filled);
}

function checkChoices(
  property: string,
  choices: readonly Choice[],
  allowOther: boolean,
  prepared: PreparedSchema,
): void {
  if (choices.length === 0 && !allowOther)
    throw new Mistake(`the options of ${property} are empty: nothing can be chosen`);
  if (!prepared.root.properties.has(property))
    throw new Mistake(`the options are for ${property}, which is not a property of the schema`);
  const repeated = choices.findIndex((choice, i) =>
    choices.slice(0, i).some(({ value }) => sameJson(value, choice.value)),
  );
  if (repeated >= 0) throw new Mistake(`option ${repeated + 1} of ${property} is there twice`);
  const values = choices.map((choice) => choice.value);
  const [tooDeep] = boundErrors(values, { ...ANSWER_BOUNDS, depth: limits.answerDepth });
  if (tooDeep) throw new Mistake(`the options of ${property}: ${at(tooDeep)}`);
  const pointer = childPointer('', property);
  const answers = values.map((value) => ({ [property]: value }));
  firstErrors(prepared, answers, pointer).forEach((refused, index) => {
    if (!refused) return;
    const option = `option ${index + 1} of ${property} (${shorten(JSON.stringify(values[index]), 100)})`;
    throw new Mistake(`${option} is refused by the schema: ${at(refused)}`);
  });
}
