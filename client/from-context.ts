/**
 * The cheapest source of an answer: what the conversation knows already. It answers only when everything that is
 * required is there and right; whatever it leaves out was optional.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { checkAnswer } from './check-answer.ts';
import type { OpenQuestion, Question, Resolver } from './types.ts';

export interface ContextOptions {
  /** Hands out `writeOnly` properties as well. Default false: a stranger may ask for anything under any name. */
  readonly secrets?: boolean;
}

/** Values by property name; as a function, made for the question. */
export type ContextValues = JsonObject | ((question: OpenQuestion) => JsonObject | Promise<JsonObject>);

/**
 * Answers from values whose names are those of the schema's properties. Whatever stands here may be told to any agent
 * that asks for it by name: give it what this conversation may tell this agent, not all you know.
 * @example
 * fromContext({ costCentre: 'CC-4410', currency: 'EUR' })
 */
export function fromContext(values: ContextValues, options: ContextOptions = {}): Resolver {
  return async (question) => {
    if (question.kind === 'free-text') return 'pass';
    const known = typeof values === 'function' ? await values(question) : values;
    const answer = fill(question, known, options.secrets === true);
    return answer ? { answer } : 'pass';
  };
}

/** A re-ask says which values were wrong: the same ones are not offered again. */
function fill(question: Question, known: JsonObject, secrets: boolean): JsonObject | undefined {
  if (question.errors.length > 0) return undefined;
  const fields = question.fields.filter(
    ({ name, secret }) => Object.hasOwn(known, name) && known[name] !== undefined && (secrets || !secret),
  );
  if (fields.length === 0) return undefined;
  const all = Object.fromEntries(fields.map(({ name }) => [name, known[name] as Json]));
  if (checkAnswer(question, all).ok) return all;
  const required = new Set(question.fields.filter((field) => field.required).map(({ name }) => name));
  let kept = Object.fromEntries(Object.entries(all).filter(([name]) => required.has(name)));
  if (!checkAnswer(question, kept).ok) return undefined;
  // An optional value that does not fit is left out, the others stay.
  for (const [name, value] of Object.entries(all)) {
    const more = { ...kept, [name]: value };
    if (!required.has(name) && checkAnswer(question, more).ok) kept = more;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}
