/**
 * A question put to a person: what is asked, the choices as numbers, the time left, one prompt for each field. What is
 * wrong is said beside its field, before anything is sent; on a re-ask, what was right stands there already.
 */
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { pointerNames } from '../../core/question/pointer.ts';
import { plainJson } from '../json-text.ts';
import type { AnswerError, OpenQuestion, Question } from '../types.ts';
import { type FormField, formField, readField, typedAs } from './field.ts';
import type { Output } from './output.ts';
import type { Prompter } from './prompter.ts';
import { indent } from './render-task.ts';
import { whenDue } from './time-left.ts';

/** Who asks and from where, what, and the time left; the options of a question with several fields stand with their fields. */
export function questionLines(question: OpenQuestion, out: Output, nowMs: number): string[] {
  const { agent, text } = question;
  const lines = [`${out.paint('cyan', agent.name)} (${agent.url}) asks:`, indent(text)];
  if (question.kind === 'free-text') return lines;
  const { attempt, maxAttempts, expiresAtMs } = question;
  const facts = [
    expiresAtMs === undefined ? undefined : whenDue(expiresAtMs, nowMs),
    attempt > 1 ? `attempt ${attempt} of ${maxAttempts}` : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? lines : [...lines, indent(out.paint('dim', facts.join('; ')))];
}

/** What an answer needs, for who is not asked here: each field with its choices. */
export function fieldLines(question: OpenQuestion): string[] {
  if (question.kind === 'free-text') return [];
  return question.fields.flatMap((field) => {
    const form = formField(field, question.allowOther);
    return [`  ${form.label}${form.hint === '' ? '' : ` (${form.hint})`}`, ...choiceLines(form)];
  });
}

/** "  1) CC-4410  Engineering" */
export function choiceLines({ choices }: FormField): string[] {
  return choices.map(({ mark, label, description }) => `  ${mark}) ${label}${description ? `  ${description}` : ''}`);
}

/** What is wrong with an answer, by the question's own schema and options; nothing when it may be sent. */
export type Check = (answer: JsonObject) => readonly AnswerError[];

export interface FormPlace {
  readonly prompter: Prompter;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/**
 * Asks until `check` finds nothing wrong.
 * @throws PromptClosed when the person leaves
 */
export async function fillForm(question: Question, check: Check, place: FormPlace): Promise<JsonObject> {
  const fields = question.fields.map((field) => formField(field, question.allowOther));
  if (fields.length === 0) return fillWhole(question, check, place);
  let errors = question.errors;
  let answer = knownOf(question, fields);
  let asked = fields;
  for (;;) {
    for (const { message } of errors.filter((error) => !fields.some((field) => isAbout(error, field)))) {
      place.out.progress(place.out.paint('red', `✗ ${message}`));
    }
    for (const field of asked) answer = await fillField(field, answer, errors, check, place);
    errors = check(answer);
    if (errors.length === 0) return answer;
    const wrong = fields.filter((field) => errors.some((error) => isAbout(error, field)));
    asked = wrong.length > 0 ? wrong : fields;
  }
}

/** A schema that names no properties says nothing to ask for one by one. */
async function fillWhole({ prefill }: Question, check: Check, { prompter, signal }: FormPlace): Promise<JsonObject> {
  const problem = (text: string) => {
    const answer = objectIn(text);
    return answer ? check(answer)[0]?.message : 'expected a JSON object, as in {"name": "value"}';
  };
  const initial = prefill ? { initial: plainJson(prefill) } : {};
  const label = 'Your answer (a JSON object):';
  return objectIn(await prompter.line({ label, hidden: false, ...initial, check: problem }, signal)) ?? {};
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function fillField(
  field: FormField,
  answer: JsonObject,
  errors: readonly AnswerError[],
  check: Check,
  { prompter, out, signal }: FormPlace,
): Promise<JsonObject> {
  for (const line of choiceLines(field)) out.progress(line);
  const { [field.name]: before, ...others } = answer;
  const error = errors.find((one) => isAbout(one, field));
  const hint = field.hint === '' ? '' : ` (${field.hint})`;
  const typed = await prompter.line(
    {
      label: `${field.label}${hint}${error ? ` ✗ ${error.message}` : ''}:`,
      hidden: field.secret,
      ...(before === undefined || field.secret ? {} : { initial: typedAs(field, before) }),
      check: (text) => problemWith(field, text, others, check),
      echo: (text) => shownAs(field, text),
    },
    signal,
  );
  const reading = readField(field, typed);
  return reading.kind === 'value' ? { ...others, [field.name]: reading.value } : others;
}

function problemWith(field: FormField, text: string, others: JsonObject, check: Check): string | undefined {
  const reading = readField(field, text);
  if (reading.kind === 'wrong') return reading.message;
  if (reading.kind === 'left-out') return undefined;
  return check({ ...others, [field.name]: reading.value }).find((error) => isAbout(error, field))?.message;
}

function shownAs(field: FormField, text: string): string {
  const reading = readField(field, text);
  if (reading.kind !== 'value') return '';
  const choice = field.choices.find(({ value }) => JSON.stringify(value) === JSON.stringify(reading.value));
  return choice ? choice.label : text;
}

/** What a re-ask says was right; nothing that was to be kept secret. */
function knownOf({ prefill = {} }: Question, fields: readonly FormField[]): JsonObject {
  const names = new Set(fields.filter(({ secret }) => !secret).map(({ name }) => name));
  return Object.fromEntries(Object.entries(prefill).filter(([name]) => names.has(name)));
}

function isAbout({ pointer }: AnswerError, { name }: FormField): boolean {
  return pointerNames(pointer)[0] === name;
}
