/** Asks once for all that is missing: the required properties of a schema that the code does not know yet. */
import { AgentFault } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { pointerNames } from '../core/question/pointer.ts';
import type { Option } from '../core/question/types.ts';
import { hasSecrets, refused, runCheck, type Verdict } from './accept.ts';
import { type AskPlan, resolveAsk, valueOrError } from './ask.ts';
import { RefuseAnswer } from './errors.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import { askSpec, type CheckResult, QUESTION_OPTIONS, type QuestionOptions } from './question.ts';
import type { Replay } from './replay.ts';
import {
  type AnswerInputOf,
  type AnswerOf,
  type AnswerSchema,
  isStandard,
  jsonSchemaOf,
  type StandardJson,
  validateStandard,
} from './schema.ts';

/** What is known already. `undefined` is missing, and so is null where the schema does not allow it. */
export type Known<S> = { readonly [K in keyof AnswerInputOf<S>]?: AnswerInputOf<S>[K] | null | undefined };

export interface CollectOptions<S> extends QuestionOptions {
  /** By default a list of what is missing, with the descriptions of the schema. */
  readonly text?: string;
  /** Sees what was known and what was answered, together. */
  readonly check?: (whole: AnswerOf<S>) => CheckResult | Promise<CheckResult>;
}

interface Missing {
  readonly known: JsonObject;
  readonly names: readonly string[];
  readonly schema: JsonObject;
}

export function collect<T, S extends AnswerSchema>(
  replay: Replay,
  name: string,
  schema: S,
  known: Known<S>,
  options: CollectOptions<S> = {},
): Promise<T> {
  const problem = optionsProblem(options, QUESTION_OPTIONS);
  if (problem !== undefined) return replay.fault('BAD_CALL', `collect "${name}": ${problem}`);
  return replay.call<T>('ask', name, 'in order', async (call) => {
    const missing = findMissing(name, jsonSchemaOf(schema, `collect "${name}"`), known);
    const standard = isStandard(schema) ? schema : undefined;
    if (missing.names.length === 0 && !call.recorded) {
      return { value: (standard ? await whole(name, standard, missing) : missing.known) as T };
    }
    return valueOrError(name, await resolveAsk<T>(replay, call, planOf(name, missing, standard, options)));
  });
}

function planOf<S>(
  name: string,
  missing: Missing,
  standard: StandardJson | undefined,
  options: CollectOptions<S>,
): AskPlan {
  const { check, text = textFor(missing), ...question } = options;
  return {
    spec: () => {
      const choices = choicesFor(missing, options.options);
      const { options: _all, ...rest } = question;
      const schema = { ...missing.schema } as AnswerSchema;
      return askSpec(name, { ...rest, text, schema, ...(choices === undefined ? {} : { options: choices }) });
    },
    accept: async (given): Promise<Verdict> => {
      if ('text' in given) throw new AgentFault('CODE_CHANGED', `collect "${name}" was answered by text`);
      const merged = { ...missing.known, ...(given.value as JsonObject) };
      try {
        const value = standard ? await whole(name, standard, { ...missing, known: merged }) : merged;
        if (check) await runCheck(name, check as (answer: unknown) => CheckResult | Promise<CheckResult>, value);
        const touched = standard !== undefined || check !== undefined;
        return { value, keep: touched && !hasSecrets(name, missing.schema as AnswerSchema) };
      } catch (error) {
        if (error instanceof RefuseAnswer) return refused(error.errors, '');
        throw error;
      }
    },
    acceptDefault: async (value) => {
      const merged = { ...missing.known, ...(value as JsonObject) };
      return standard ? whole(name, standard, { ...missing, known: merged }) : merged;
    },
  };
}

/** The library's check of the whole. Throws RefuseAnswer for what was asked, AgentFault for what was known before. */
async function whole(name: string, schema: StandardJson, { known, names }: Missing): Promise<Json> {
  const result = await validateStandard(schema, known);
  if ('value' in result) return toJson(result.value, `the result of collect "${name}"`);
  const before = result.errors.find(({ pointer }) => {
    const [property] = pointerNames(pointer);
    return names.length === 0 || (property !== undefined && !names.includes(property));
  });
  // The caller was not asked for it and cannot put it right.
  if (before) {
    throw new AgentFault(
      'BAD_CALL',
      `collect "${name}": the schema refuses what is known: ${before.pointer} ${before.message}`,
    );
  }
  throw new RefuseAnswer(result.errors);
}

/** Throws AgentFault BAD_QUESTION for a schema that is not an object with properties. */
function findMissing(name: string, schema: JsonObject, given: object): Missing {
  const { properties, required } = schema;
  if (schema.type !== 'object' || !isJsonObject(properties)) {
    throw new AgentFault('BAD_QUESTION', `collect "${name}": the schema is an object with properties`);
  }
  const known: Record<string, Json> = {};
  for (const [property, value] of Object.entries(given) as [string, unknown][]) {
    const schemaOf = properties[property];
    if (value === undefined || (value === null && schemaOf !== undefined && !allowsNull(schemaOf))) continue;
    known[property] = toJson(value, `"${property}" of what collect "${name}" knows`);
  }
  const names = (Array.isArray(required) ? (required as readonly string[]) : []).filter(
    (property) => !Object.hasOwn(known, property),
  );
  const { $defs, definitions } = schema;
  return {
    known,
    names,
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((property) => [property, properties[property] ?? {}])),
      required: names,
      // An answer to what was not asked would be lost without a word.
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    },
  };
}

function allowsNull(schema: Json): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const { type, enum: values, const: only, anyOf, oneOf } = schema;
  if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'));
  if (only !== undefined) return only === null;
  if (Array.isArray(values)) return values.includes(null);
  const branches = [anyOf, oneOf].filter((list): list is readonly Json[] => Array.isArray(list)).flat();
  return branches.length === 0 ? schema.$ref === undefined && schema.allOf === undefined : branches.some(allowsNull);
}

function textFor({ names, schema }: Missing): string {
  const properties = schema.properties as JsonObject;
  const each = names.map((name) => {
    const property = properties[name];
    const { title, description } = isJsonObject(property) ? property : {};
    const more = [title, description].find((text) => typeof text === 'string' && text !== '');
    return more === undefined ? name : `${name} (${more as string})`;
  });
  return `Please give: ${each.join('; ')}.`;
}

/** Only the choices for what is asked; a plain list when that is one property. */
function choicesFor({ names }: Missing, choices: QuestionOptions['options']): QuestionOptions['options'] {
  if (choices === undefined || Array.isArray(choices)) return choices;
  const byName = choices as { readonly [property: string]: readonly Option[] };
  const [first] = names;
  if (names.length === 1 && first !== undefined) return byName[first];
  const asked = names.filter((name) => byName[name] !== undefined);
  return asked.length === 0
    ? undefined
    : Object.fromEntries(asked.map((name) => [name, byName[name] as readonly Option[]]));
}
