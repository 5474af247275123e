/**
 * From the entries of a form to an answer, and from an answer back to entries. What can be told here without doubt is told
 * here, so that a slip costs no attempt; the rest (patterns above all, which are strangers' code) is for the agent.
 * Nothing is coerced or filled in: what was left empty is left out.
 */
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { AnswerError } from '../core/question/types.ts';
import { unreachable } from '../core/unreachable.ts';
import type { ChoiceField, Field, GroupField, ManyField, NumberField, TextField } from './fields.ts';

/** What stands in the fields, by their ids: text, the number of a choice, the numbers of ticked boxes. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** The entry of a choice when another value is given. */
export const OTHER = 'other';
/** The entry of an input whose text the browser itself cannot read as what it is for. */
export const UNREADABLE = '\u0000';

export interface FormResult {
  /** Only to be sent when there are no errors. */
  readonly answer: JsonObject;
  /** By field id, in the order of the form. */
  readonly errors: ReadonlyMap<string, string>;
}

type Reading = { readonly value: Json } | { readonly error: string } | 'empty';

export function readForm(fields: readonly Field[], entries: Entries): FormResult {
  const errors = new Map<string, string>();
  const [only] = fields;
  if (only?.kind === 'json' && only.pointer === '') {
    const answer = wholeAnswer(only.id, entries, errors);
    return { answer, errors };
  }
  return { answer: readAll(fields, entries, errors), errors };
}

function wholeAnswer(id: string, entries: Entries, errors: Map<string, string>): JsonObject {
  const reading = jsonValue(textIn(entries, id));
  if (reading !== 'empty' && 'value' in reading && isJsonObject(reading.value)) return reading.value;
  errors.set(id, reading !== 'empty' && 'error' in reading ? reading.error : 'Enter a JSON object, as in {"name": 1}');
  return {};
}

function readAll(fields: readonly Field[], entries: Entries, errors: Map<string, string>): JsonObject {
  // `fromEntries` makes own properties of every name, `__proto__` included.
  return Object.fromEntries(
    fields.flatMap((field): [string, Json][] => {
      const reading = field.kind === 'group' ? readGroup(field, entries, errors) : read(field, entries, errors);
      if (reading === 'empty') {
        if (field.required && field.nullable) return [[field.name, null]];
        if (field.required) errors.set(field.id, missing(field));
        return [];
      }
      if ('value' in reading) return [[field.name, reading.value]];
      errors.set(field.id, reading.error);
      return [];
    }),
  );
}

function missing(field: Field): string {
  return field.kind === 'choice' && field.other === undefined ? 'Choose one' : 'Fill this in';
}

/** A group that may be left out and has nothing in it is left out, with all that it would require. */
function readGroup(field: GroupField, entries: Entries, errors: Map<string, string>): Reading {
  if (!field.required && field.fields.every((inner) => isUntouched(inner, entries))) return 'empty';
  return { value: readAll(field.fields, entries, errors) };
}

function isUntouched(field: Field, entries: Entries): boolean {
  if (field.kind === 'group') return field.fields.every((inner) => isUntouched(inner, entries));
  return (entries[field.id] ?? '').length === 0;
}

function read(field: Exclude<Field, GroupField>, entries: Entries, errors: Map<string, string>): Reading {
  switch (field.kind) {
    case 'choice':
      return choiceValue(field, entries, errors);
    case 'many':
      return manyValue(field, entries);
    case 'number':
      return numberValue(field, textIn(entries, field.id));
    case 'text':
      return textValue(field, textIn(entries, field.id));
    case 'json':
      return jsonValue(textIn(entries, field.id));
    default:
      return unreachable('field', field);
  }
}

function choiceValue(field: ChoiceField, entries: Entries, errors: Map<string, string>): Reading {
  const entry = textIn(entries, field.id);
  if (entry === OTHER && field.other !== undefined) {
    const other = readAll([field.other], entries, errors);
    // Its own error stands beside its own input.
    return Object.hasOwn(other, field.name) ? { value: other[field.name] as Json } : { value: null };
  }
  const chosen = entry === '' ? undefined : field.choices[Number(entry)];
  return chosen === undefined ? 'empty' : { value: chosen.value };
}

function manyValue({ id, choices, least, most, required }: ManyField, entries: Entries): Reading {
  const ticked = entries[id] ?? [];
  const values = [...ticked].flatMap((entry) => choices[Number(entry)] ?? []).map(({ value }) => value);
  if (values.length === 0 && !required) return 'empty';
  if (values.length < least) return { error: `Choose at least ${least}` };
  if (values.length > most) return { error: `Choose at most ${most}` };
  return { value: values };
}

function numberValue(field: NumberField, entry: string): Reading {
  const { whole, min, max, above, below, step } = field;
  const text = entry.trim();
  if (text === '') return 'empty';
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: whole ? 'Enter a whole number' : 'Enter a number' };
  if (whole && !Number.isInteger(value)) return { error: 'Enter a whole number' };
  if (whole && !Number.isSafeInteger(value)) return { error: 'This number is too large to be sent exactly' };
  if (min !== undefined && value < min) return { error: `Enter ${min} or more` };
  if (max !== undefined && value > max) return { error: `Enter ${max} or less` };
  if (above !== undefined && value <= above) return { error: `Enter more than ${above}` };
  if (below !== undefined && value >= below) return { error: `Enter less than ${below}` };
  if (whole && step !== undefined && Number.isInteger(step) && value % step !== 0) {
    return { error: `Enter a multiple of ${step}` };
  }
  return { value };
}

function textValue({ form, least, most }: TextField, entry: string): Reading {
  if (entry === '') return 'empty';
  if (form === 'date-time') {
    const at = new Date(entry);
    return Number.isNaN(at.getTime()) ? { error: 'Enter a date and a time' } : { value: at.toISOString() };
  }
  if (form === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(entry)) return { error: 'Enter a date' };
  if (form === 'email' && !/^[^\s@]+@[^\s@]+$/.test(entry)) {
    return { error: 'Enter an e-mail address, as in name@example.com' };
  }
  if (form === 'uri' && !URL.canParse(entry)) return { error: 'Enter an address, as in https://example.com' };
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...entry].length;
  if (length < least) return { error: `Enter at least ${least} characters` };
  if (most !== undefined && length > most) return { error: `Enter at most ${most} characters` };
  return { value: entry };
}

function jsonValue(entry: string): Reading {
  if (entry.trim() === '') return 'empty';
  try {
    return { value: JSON.parse(entry) as Json };
  } catch {
    return { error: 'This is not valid JSON: texts stand in double quotes, as in {"name": "value"}' };
  }
}

function textIn(entries: Entries, id: string): string {
  const entry = entries[id] ?? '';
  return typeof entry === 'string' ? entry : '';
}

/** The entries that mean this answer; what does not fit a field leaves it empty. Secrets are never put back. */
export function entriesFor(fields: readonly Field[], answer: JsonObject): Entries {
  const entries = fields.flatMap((field): [string, string | readonly string[]][] => {
    if (field.kind === 'json' && field.pointer === '') {
      return Object.keys(answer).length === 0 ? [] : [[field.id, JSON.stringify(answer, null, 2)]];
    }
    return Object.hasOwn(answer, field.name) ? entriesOf(field, answer[field.name] as Json) : [];
  });
  return Object.fromEntries(entries);
}

function entriesOf(field: Field, value: Json): [string, string | readonly string[]][] {
  switch (field.kind) {
    case 'choice': {
      const index = indexOf(field.choices, value);
      if (index !== undefined) return [[field.id, index]];
      const other = field.other === undefined ? [] : entriesOf(field.other, value);
      return other.length === 0 ? [] : [[field.id, OTHER], ...other];
    }
    case 'many':
      return Array.isArray(value)
        ? [[field.id, (value as readonly Json[]).flatMap((one) => indexOf(field.choices, one) ?? [])]]
        : [];
    case 'number':
      return typeof value === 'number' ? [[field.id, String(value)]] : [];
    case 'text':
      if (typeof value !== 'string' || field.secret) return [];
      return [[field.id, field.form === 'date-time' ? localInput(value) : value]];
    case 'group':
      return isJsonObject(value) ? Object.entries(entriesFor(field.fields, value)) : [];
    case 'json':
      return [[field.id, JSON.stringify(value, null, 2)]];
    default:
      return unreachable('field', field);
  }
}

function indexOf(choices: ChoiceField['choices'], value: Json): string | undefined {
  const wanted = canonicalJson(value);
  const index = choices.findIndex((choice) => canonicalJson(choice.value) === wanted);
  return index === -1 ? undefined : String(index);
}

/** As an input of the type datetime-local has it: the reader's own time, without a zone. */
function localInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export interface PlacedErrors {
  /** By field id. */
  readonly beside: ReadonlyMap<string, string>;
  /** What belongs to no field. */
  readonly above: readonly string[];
}

/** The agent's errors where they belong: at the field of their pointer, or at the nearest around it. */
export function placeErrors(fields: readonly Field[], errors: readonly AnswerError[]): PlacedErrors {
  const all = flat(fields);
  const beside = new Map<string, string>();
  const above: string[] = [];
  for (const { pointer, message } of errors) {
    const [nearest] = all
      .filter((field) => pointer === field.pointer || (field.pointer !== '' && pointer.startsWith(`${field.pointer}/`)))
      .sort((a, b) => b.pointer.length - a.pointer.length);
    if (nearest === undefined) above.push(message);
    else beside.set(nearest.id, [beside.get(nearest.id), message].filter(Boolean).join('; '));
  }
  return { beside, above };
}

export function flat(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [field, ...(field.kind === 'group' ? flat(field.fields) : [])]);
}
