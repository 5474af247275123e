/**
 * One field of an answer as a person fills it in: what kind of value it takes, what may be chosen, and what a typed
 * text means. Whether the value is right is the question's schema's matter, not decided here.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { plainJson } from '../json-text.ts';
import type { Field, FieldOption } from '../types.ts';

export interface Choice extends FieldOption {
  /** What is typed to take it: a number, or a letter where a number could be a value. */
  readonly mark: string;
}

export type Kind = 'text' | 'number' | 'integer' | 'boolean' | 'json';

export interface FormField {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  /** Not shown while typed. */
  readonly secret: boolean;
  readonly choices: readonly Choice[];
  /** Other values than the choices are taken too. */
  readonly allowOther: boolean;
  readonly label: string;
  /** What the schema says to a person, and the form it wants. */
  readonly hint: string;
}

export type Reading =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'left-out' }
  | { readonly kind: 'wrong'; readonly message: string };

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date, as in 2026-01-31',
  'date-time': 'a date and time, as in 2026-01-31T09:30:00Z',
  time: 'a time with its zone, as in 09:30:00Z',
  email: 'an email address',
  uri: 'a web address',
  url: 'a web address',
  uuid: 'a UUID',
};

/** How an author's own example of a format looks: where the description has one, ours would say the same again. */
const EXAMPLES: Readonly<Record<string, RegExp>> = {
  date: /\d{4}-\d\d-\d\d/,
  'date-time': /\d{4}-\d\d-\d\dT\d\d/,
  time: /\d\d:\d\d/,
  email: /\S@\S/,
  uri: /https?:/,
  url: /https?:/,
};

/** @param allowOther whether the question takes other values than its options */
export function formField(
  { name, label, description, schema, required, secret, options }: Field,
  allowOther: boolean,
): FormField {
  const known = isJsonObject(schema) ? schema : {};
  const choices = marked(options.length > 0 ? options : ownChoices(known));
  const kind = kindOf(known);
  const other = options.length > 0 && allowOther ? ', or another value' : '';
  const form =
    choices.length > 0 ? `${marksOf(choices)}${other}` : (formatOf(known, description) ?? formOf(kind, known));
  return {
    name,
    kind,
    required,
    secret,
    choices,
    allowOther: options.length > 0 && allowOther,
    label,
    hint: [description && cleanLine(description, 300), form, required ? undefined : 'optional']
      .filter((part) => part !== undefined && part !== '')
      .join('; '),
  };
}

/** Empty: the description says it already. */
function formatOf({ format }: JsonObject, description: string | undefined): string | undefined {
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) return undefined;
  return description !== undefined && EXAMPLES[format]?.test(description) ? '' : FORMATS[format];
}

/** Nothing is guessed: an exact value or label wins over a mark, and no text becomes a number unless it is one. */
export function readField(field: FormField, typed: string): Reading {
  const text = typed.replace(/\r?\n$/, '');
  if (text.trim() === '') {
    if (!field.required) return { kind: 'left-out' };
    return wrong(field.choices.length > 0 ? expected(field) : 'an answer is needed here');
  }
  const chosen = chosenBy(field.choices, text);
  if (chosen) return { kind: 'value', value: chosen.value };
  if (field.choices.length > 0 && !field.allowOther) return wrong(expected(field));
  return readKind(field.kind, text);
}

/** A value as it would be typed, for the line that is prefilled. */
export function typedAs(field: FormField, value: Json): string {
  const choice = field.choices.find((one) => JSON.stringify(one.value) === JSON.stringify(value));
  if (choice && typeof choice.value === 'object') return choice.mark;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return plainJson(value);
  return value === '' ? '""' : cleanLine(value, 10_000);
}

function chosenBy(choices: readonly Choice[], text: string): Choice | undefined {
  const wanted = text.trim();
  for (const same of [
    (name: string) => name === wanted,
    (name: string) => name.toLowerCase() === wanted.toLowerCase(),
  ]) {
    const named = choices.filter(({ value, label }) => [label, spelled(value)].some(same));
    if (named.length === 1) return named[0];
  }
  return choices.find(({ mark }) => mark.toLowerCase() === wanted.replace(/[.)]$/, '').toLowerCase());
}

function readKind(kind: Kind, text: string): Reading {
  const trimmed = text.trim();
  switch (kind) {
    case 'text':
      return { kind: 'value', value: trimmed === '""' ? '' : text };
    case 'boolean':
      if (/^(y|yes|true)$/i.test(trimmed)) return { kind: 'value', value: true };
      if (/^(n|no|false)$/i.test(trimmed)) return { kind: 'value', value: false };
      return wrong('expected yes or no');
    case 'integer':
    case 'number': {
      const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
      if (Number.isFinite(value) && (kind === 'number' || Number.isInteger(value))) return { kind: 'value', value };
      return wrong(kind === 'integer' ? 'expected a whole number' : 'expected a number, as in 42.50');
    }
    case 'json':
      try {
        return { kind: 'value', value: JSON.parse(trimmed) as Json };
      } catch {
        return wrong('expected JSON, as in ["a", "b"] or {"name": "value"}; a text needs its quotes');
      }
  }
}

function kindOf({ type, enum: values, const: constant }: JsonObject): Kind {
  const types = Array.isArray(type) ? (type as readonly Json[]) : type === undefined ? [] : [type];
  const [only, ...more] = types.filter((name) => name !== 'null');
  if (more.length > 0) return 'json';
  if (only === 'string') return 'text';
  if (only === 'number' || only === 'integer' || only === 'boolean') return only;
  const listed = Array.isArray(values) ? (values as readonly Json[]) : constant === undefined ? [] : [constant];
  return listed.length > 0 && listed.every((value) => typeof value === 'string') ? 'text' : 'json';
}

/** `enum`, `const`, or a choice spelled as `oneOf`/`anyOf` of constants with titles. */
function ownChoices(schema: JsonObject): FieldOption[] {
  if (Array.isArray(schema.enum)) return (schema.enum as readonly Json[]).map((value) => plain(value));
  if (schema.const !== undefined) return [plain(schema.const)];
  for (const branches of [schema.oneOf, schema.anyOf]) {
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const constants = (branches as readonly Json[]).filter(
      (branch): branch is JsonObject => isJsonObject(branch) && branch.const !== undefined,
    );
    if (constants.length !== branches.length) continue;
    return constants.map(({ const: value, title, description }) => ({
      value: value as Json,
      label: typeof title === 'string' ? cleanLine(title) : plain(value as Json).label,
      ...(typeof description === 'string' ? { description: cleanLine(description) } : {}),
    }));
  }
  return [];
}

function plain(value: Json): FieldOption {
  return { value, label: cleanLine(spelled(value)) };
}

/** Numbers, unless a number could be meant as a value: then letters. */
function marked(choices: readonly FieldOption[]): Choice[] {
  const numeric = choices.some(({ value, label }) => [label, spelled(value)].some((name) => /^\d+$/.test(name.trim())));
  const mark = (index: number) =>
    numeric && choices.length <= 26 ? String.fromCharCode(97 + index) : String(index + 1);
  return choices.map((choice, index) => ({ ...choice, mark: mark(index) }));
}

function marksOf(choices: readonly Choice[]): string {
  const [first, last] = [choices[0]?.mark, choices.at(-1)?.mark];
  return first === last ? `${first}` : `${first} to ${last}`;
}

function spelled(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function expected({ choices }: FormField): string {
  const shown = choices.slice(0, 10).map(({ mark, label }) => `${mark} (${label})`);
  const more = choices.length > shown.length ? ` or one of ${choices.length - shown.length} more` : '';
  return `expected one of ${shown.join(', ')}${more}`;
}

function formOf(kind: Kind, { items, type }: JsonObject): string | undefined {
  if (kind === 'boolean') return 'yes or no';
  if (kind === 'integer') return 'a whole number';
  if (kind === 'number') return 'a number';
  if (kind !== 'json') return undefined;
  return type === 'array' || items !== undefined ? 'JSON, as in ["a", "b"]' : 'JSON, as in {"name": "value"}';
}

function wrong(message: string): Reading {
  return { kind: 'wrong', message };
}
