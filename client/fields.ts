/** The properties of a question's schema, ready to be shown and filled in one by one. The schema has been checked. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { type Choice, choicesOf } from '../core/question/options.ts';
import type { QuestionData } from '../core/question/types.ts';
import type { PreparedSchema } from '../core/question/validate.ts';
import { cleanLine, cleanText } from '../core/clean-text.ts';
import type { Field, FieldOption } from './types.ts';

const LABEL_CHARS = 200;
const DESCRIPTION_CHARS = 1_000;

/** @param options lists within bounds, as the question has them */
export function fieldsOf({ root }: PreparedSchema, options: unknown): Field[] {
  const given = options as QuestionData['options'];
  const choices = choicesOf(given, root);
  return [...root.properties].map(([name, schema]) => ({
    name,
    ...shown(schema, name),
    schema: schema as JsonObject | boolean,
    required: root.required.includes(name),
    secret: root.secret.includes(name),
    options: (choices.get(name) ?? []).map((choice) => optionOf(choice, describedIn(given, name, choice.value))),
  }));
}

function shown(schema: unknown, name: string): Pick<Field, 'label' | 'description'> {
  const { title, description } = isJsonObject(schema) ? schema : {};
  const label = cleanLine(typeof title === 'string' ? title : name, LABEL_CHARS) || cleanLine(name, LABEL_CHARS);
  return typeof description === 'string' && description !== ''
    ? { label, description: cleanText(description, DESCRIPTION_CHARS) }
    : { label };
}

function optionOf({ value, label }: Choice, description: string | undefined): FieldOption {
  const words = cleanLine(label ?? (typeof value === 'string' ? value : JSON.stringify(value)), LABEL_CHARS);
  const known = words === '' ? cleanLine(JSON.stringify(value), LABEL_CHARS) : words;
  return description === undefined ? { value, label: known } : { value, label: known, description };
}

/** `choicesOf` leaves descriptions out, since they decide nothing. */
function describedIn(options: QuestionData['options'], name: string, value: Json): string | undefined {
  const list = Array.isArray(options) ? options : (options as Record<string, readonly Json[]> | undefined)?.[name];
  for (const option of (list ?? []) as readonly Json[]) {
    if (isJsonObject(option) && option.value === value && typeof option.description === 'string') {
      return cleanText(option.description, DESCRIPTION_CHARS);
    }
  }
  return undefined;
}
