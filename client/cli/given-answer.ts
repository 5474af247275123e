/** An answer from the command line: what a word means for this question, checked before anything is sent. */
import { checkAnswer } from '../check-answer.ts';
import type { JsonObject, OpenQuestion, Question } from '../types.ts';
import { formField, readField } from './field.ts';
import { misused } from './failures.ts';

/** What `resumeTask` takes. */
export type Said = { readonly answer: JsonObject } | { readonly text: string; readonly asIs?: boolean };

/**
 * The number of an option, its value or its label; otherwise a value of the one field's type, or a JSON object.
 * @throws CommandFailed when it does not fit; the message says what would
 */
export function readGiven(question: OpenQuestion, value: string): Said {
  if (question.kind === 'free-text') return { text: value };
  const object = objectIn(value);
  if (object) return fitting(question, object);
  const field = onlyField(question);
  if (!field) {
    const names = question.fields.map(({ name }) => name).join(', ');
    throw misused(
      `this question has several fields: ${names}`,
      `Give them together, as in --data '{"${question.fields[0]?.name ?? 'name'}": ...}', or answer without a value to be asked.`,
    );
  }
  if (field.secret) {
    throw misused(
      `${field.name} is a secret and must not stand in the shell's history`,
      'Answer without a value to be asked, or give it by --data @file or --data - (standard input).',
    );
  }
  const form = formField(field, question.allowOther);
  const reading = readField(form, value);
  if (reading.kind === 'wrong') throw misused(`${field.name}: ${reading.message}`, STILL_OPEN);
  return fitting(question, reading.kind === 'value' ? { [field.name]: reading.value } : {});
}

/** @throws CommandFailed when there are none */
export function words(text: string): Said {
  if (text.trim() === '') throw misused('expected words after --text');
  return { text, asIs: true };
}

/** @throws CommandFailed when the question's schema or options refuse it */
export function fitting(question: OpenQuestion, answer: JsonObject): Said {
  if (question.kind === 'free-text') return { text: JSON.stringify(answer) };
  const checked = checkAnswer(question, answer);
  if (checked.ok) return { answer };
  const wrong = checked.errors.map(({ pointer, message }) =>
    pointer === '' ? message : `${pointer.slice(1)}: ${message}`,
  );
  throw misused(`the answer does not fit: ${wrong.join('; ')}`, STILL_OPEN);
}

const STILL_OPEN = 'Nothing was sent; the question is still open.';

function onlyField({ fields }: Question): Question['fields'][number] | undefined {
  const required = fields.filter((field) => field.required);
  const candidates = required.length > 0 ? required : fields;
  return candidates.length === 1 ? candidates[0] : undefined;
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
