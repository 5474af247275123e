/** The validator's findings in words that the person or program who answers can act on. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import { childPointer } from './pointer.ts';
import type { AnswerError } from './types.ts';

const LIST_CHARS = 500;
const PATTERN_CHARS = 200;
const POINTER_CHARS = 256;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time such as 2026-01-31T09:30:00Z',
  duration: 'a duration such as P3DT4H',
  email: 'an email address',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  regex: 'a regular expression',
  time: 'a time with its zone, such as 09:30:00Z',
  uri: 'a URI',
  url: 'a URL',
  uuid: 'a UUID',
};

/** "expected one of a, b" */
export function expectedOneOf(values: readonly Json[]): string {
  return `expected one of ${listed(values.map(shown))}`;
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** As many as are worth reading; the schema or the options hold them all. */
function listed(texts: readonly string[]): string {
  let length = 0;
  const kept = texts.filter((text, index) => {
    length += text.length + 2;
    return index === 0 || length <= LIST_CHARS;
  });
  const first = kept.map((text) => shorten(text, LIST_CHARS)).join(', ');
  return kept.length === texts.length ? first : `${first} and ${texts.length - kept.length} more`;
}

/** Cuts between characters, never inside one. */
export function shorten(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** In the validator's order, without repetitions; alternatives become one error. */
export function errorsInWords(found: readonly ErrorObject[], max: number = limits.answerErrorsReported): AnswerError[] {
  const words = new Map<string, AnswerError>();
  const alternatives = new Set(found.filter(hasBranches).map((error) => `${error.schemaPath}/`));
  for (const error of found) {
    if (words.size >= max) break;
    if (isSwallowed(error, alternatives)) continue;
    const { pointer, message } = inWords(error, found);
    const short = shortPointer(pointer);
    words.set(`${short} ${message}`, { pointer: short, message });
  }
  return [...words.values()];
}

/** A property name of the answer may be of any length: a very long one is pointed at from above. */
function shortPointer(pointer: string): string {
  let short = pointer;
  while (short.length > POINTER_CHARS) short = short.slice(0, short.lastIndexOf('/'));
  return short;
}

function hasBranches({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'contains';
}

/** Errors inside alternatives contradict each other, and `if` and `propertyNames` only repeat what others say. */
function isSwallowed(error: ErrorObject, alternatives: ReadonlySet<string>): boolean {
  if (error.keyword === 'if' || error.propertyName !== undefined) return true;
  for (const path of alternatives) if (error.schemaPath.startsWith(path)) return true;
  return false;
}

function inWords(error: ErrorObject, found: readonly ErrorObject[]): AnswerError {
  const at = error.instancePath;
  const params = error.params as Readonly<Record<string, Json>>;
  switch (error.keyword) {
    case 'required':
      return { pointer: childPointer(at, String(params.missingProperty)), message: 'required' };
    case 'dependentRequired':
      return {
        pointer: childPointer(at, String(params.missingProperty)),
        message: `required when ${String(params.property)} is given`,
      };
    case 'additionalProperties':
      return { pointer: childPointer(at, String(params.additionalProperty)), message: 'unknown property' };
    case 'unevaluatedProperties':
      return { pointer: childPointer(at, String(params.unevaluatedProperty)), message: 'unknown property' };
    case 'propertyNames':
      return { pointer: childPointer(at, String(params.propertyName)), message: 'this property name is not allowed' };
    case 'anyOf':
    case 'oneOf':
      return { pointer: at, message: alternatives(error, found) };
    default:
      return { pointer: at, message: message(error.keyword, params) };
  }
}

function message(keyword: string, params: Readonly<Record<string, Json>>): string {
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return `expected ${typeWords(params.type as Json)}`;
    case 'enum':
      return expectedOneOf(params.allowedValues as readonly Json[]);
    case 'const':
      return `expected ${shorten(shown(params.allowedValue as Json), LIST_CHARS)}`;
    case 'pattern':
      return `does not match ${shorten(String(params.pattern), PATTERN_CHARS)}`;
    case 'format':
      return `expected ${FORMAT_WORDS[String(params.format)] ?? `the format ${String(params.format)}`}`;
    case 'minLength':
      return `expected at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `expected at most ${counted(limit, 'character')}`;
    case 'minItems':
      return `expected at least ${counted(limit, 'item')}`;
    case 'maxItems':
    case 'items':
    case 'unevaluatedItems':
      return `expected at most ${counted(Number(params.limit ?? params.len), 'item')}`;
    case 'minProperties':
      return `expected at least ${counted(limit, 'property', 'properties')}`;
    case 'maxProperties':
      return `expected at most ${counted(limit, 'property', 'properties')}`;
    case 'minimum':
      return `expected at least ${limit}`;
    case 'maximum':
      return `expected at most ${limit}`;
    case 'exclusiveMinimum':
      return `expected more than ${limit}`;
    case 'exclusiveMaximum':
      return `expected less than ${limit}`;
    case 'multipleOf':
      return `expected a multiple of ${Number(params.multipleOf)}`;
    case 'uniqueItems':
      return `items ${Number(params.j)} and ${Number(params.i)} are equal`;
    case 'contains':
      return containsWords(params);
    default:
      return 'not allowed';
  }
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function containsWords({ minContains, maxContains }: Readonly<Record<string, Json>>): string {
  const least = `at least ${counted(Number(minContains ?? 1), 'matching item')}`;
  return maxContains === undefined ? `expected ${least}` : `expected ${least} and at most ${Number(maxContains)}`;
}

function typeWords(type: Json): string {
  const names = Array.isArray(type) ? (type as readonly string[]) : String(type).split(',');
  return eitherOf(names.map((name) => TYPE_WORDS[name] ?? name));
}

function eitherOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** One line for all branches, where they differ in one value or type only. */
function alternatives(error: ErrorObject, found: readonly ErrorObject[]): string {
  if (Array.isArray((error.params as { passingSchemas?: unknown }).passingSchemas)) {
    return 'matches more than one of the allowed forms';
  }
  const inside = found.filter(
    (other) =>
      other.schemaPath.startsWith(`${error.schemaPath}/`) &&
      `${other.instancePath}/`.startsWith(`${error.instancePath}/`),
  );
  const here = inside.filter((other) => other.instancePath === error.instancePath);
  const param = (other: ErrorObject): Readonly<Record<string, Json>> => other.params as Readonly<Record<string, Json>>;
  if (here.length === inside.length && here.length > 0) {
    const constants = here.filter((other) => other.keyword === 'const' || other.keyword === 'enum');
    const others = here.filter((other) => other.keyword !== 'const' && other.keyword !== 'enum');
    if (constants.length > 0 && others.every((other) => other.keyword === 'type')) {
      const values = constants.flatMap((other) =>
        other.keyword === 'const'
          ? [param(other).allowedValue as Json]
          : (param(other).allowedValues as readonly Json[]),
      );
      return expectedOneOf(values);
    }
    if (here.every((other) => other.keyword === 'type')) {
      return `expected ${eitherOf([...new Set(here.map((other) => typeWords(param(other).type as Json)))])}`;
    }
  }
  return 'matches none of the allowed forms';
}
