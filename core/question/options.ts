/** The small choices of a question: reading them, checking an answer against them, finding the one a text means. */
import { isJsonObject, type Json } from '../json.ts';
import { sameJson } from './json-bounds.ts';
import type { SchemaRoot } from './schema-root.ts';
import type { Option, QuestionData } from './types.ts';

export interface Choice {
  readonly value: Json;
  readonly label?: string;
}

/** Choices by property. A Map, because property names are the author's. */
export type Choices = ReadonlyMap<string, readonly Choice[]>;

/** A list belongs to the one required property; otherwise the lists are given by property. */
export function choicesOf(options: QuestionData['options'], root: SchemaRoot): Choices {
  if (options === undefined) return new Map();
  if (isOptionList(options)) {
    const [property] = root.required;
    return property === undefined ? new Map() : new Map([[property, options.map(choiceOf)]]);
  }
  return new Map(Object.entries(options).map(([property, list]) => [property, list.map(choiceOf)]));
}

export function isOptionList(options: NonNullable<QuestionData['options']>): options is readonly Option[] {
  return Array.isArray(options);
}

/** An option is a value, or an object of a value, its label and perhaps a description. */
function choiceOf(option: Option): Choice {
  if (!isJsonObject(option) || !Object.hasOwn(option, 'value') || typeof option.label !== 'string') {
    return { value: option };
  }
  const known = Object.keys(option).every((name) => ['value', 'label', 'description'].includes(name));
  return known ? { value: option.value as Json, label: option.label } : { value: option };
}

export function isAmong(choices: readonly Choice[], value: Json): boolean {
  return choices.some((choice) => sameJson(choice.value, value));
}

export type TextChoice = { readonly value: Json } | 'none' | 'several';

/** The option that a text names by value or label: exactly, or ignoring case and surrounding space. */
export function chosenByText(choices: readonly Choice[], text: string): TextChoice {
  for (const spell of [exactly, loosely]) {
    const named = choices.filter((choice) => namesOf(choice).some((name) => spell(name) === spell(text)));
    if (named.length === 1) return { value: (named[0] as Choice).value };
    if (named.length > 1) return 'several';
  }
  return 'none';
}

function exactly(text: string): string {
  return text.trim();
}

function loosely(text: string): string {
  return text.trim().toLowerCase();
}

function namesOf({ value, label }: Choice): string[] {
  const names = label === undefined ? [] : [label];
  if (typeof value === 'string') names.push(value);
  else if (typeof value !== 'object' && value !== null) names.push(JSON.stringify(value));
  return names;
}
