/**
 * Validates values against JSON Schema 2020-12. Every run has a bound: a time limit, or a schema so plain that its check
 * cannot be slow. Compiled schemas are kept by content, because each request parses its schema anew.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { errorsInWords } from './error-words.ts';
import { expandSchema } from './expand-schema.ts';
import { newAjv, warmAjv } from './load-ajv.ts';
import { lru } from './lru.ts';
import { isPlain } from './plain-schema.ts';
import { isWithin, pointerNames } from './pointer.ts';
import { rootOf, type SchemaRoot } from './schema-root.ts';
import { OutOfTime, withinTime } from './time-limit.ts';
import type { AnswerError } from './types.ts';

export interface PreparedSchema {
  readonly expanded: JsonObject;
  readonly root: SchemaRoot;
  /** Checks need no time limit (plain-schema.ts). */
  readonly plain: boolean;
  /** Compiled at the first use. */
  validate?: ValidateFunction;
}

export interface Validation {
  readonly errors: readonly AnswerError[];
  /** Root properties that an error, in words or swallowed by a better one, is about. */
  readonly wrong: ReadonlySet<string>;
}

const prepared = lru<PreparedSchema>(limits.schemasCached);

/**
 * Expands a schema or finds it expanded.
 * @throws SchemaProblem when its references cannot be followed
 */
export function prepare(schema: JsonObject): PreparedSchema {
  const key = JSON.stringify(schema);
  const known = prepared.get(key);
  if (known) return known;
  const expanded = expandSchema(schema);
  const fresh = { expanded, root: rootOf(expanded), plain: isPlain(expanded) };
  prepared.set(key, fresh);
  return fresh;
}

/**
 * Compiles the schema, once.
 * @throws OutOfTime when that takes too long; Ajv's Error when the schema means nothing
 */
export function compile(schema: PreparedSchema): ValidateFunction {
  warmAjv();
  schema.validate ??= bounded(schema, () => newAjv().compile(schema.expanded));
  return schema.validate;
}

/** @throws OutOfTime when the check takes too long */
export function runValidation(schema: PreparedSchema, value: Json): Validation {
  const validate = compile(schema);
  return bounded(schema, () => {
    validate(value);
    const found: readonly ErrorObject[] = validate.errors ?? [];
    const wrong = new Set(found.flatMap((error) => pointerNames(error.instancePath).slice(0, 1)));
    return { errors: errorsInWords(found), wrong };
  });
}

/**
 * The first error at or below `pointer` of each value, all in one run: what is wrong elsewhere is not asked for.
 * @throws OutOfTime when the check takes too long
 */
export function firstErrors(
  schema: PreparedSchema,
  values: readonly Json[],
  pointer: string,
): readonly (AnswerError | undefined)[] {
  const validate = compile(schema);
  return bounded(schema, () =>
    values.map((value) => {
      validate(value);
      const errors = errorsInWords(validate.errors ?? [], Number.POSITIVE_INFINITY);
      return errors.find((error) => isWithin(error.pointer, pointer));
    }),
  );
}

/**
 * What the schema finds wrong with a value, in plain words; empty when it is valid. At most 20 errors. A check that
 * does not end within 250 ms is an error of the whole value.
 * @throws SchemaProblem when the schema's references cannot be followed
 */
export function validateValue(schema: JsonObject, value: Json): AnswerError[] {
  try {
    return [...runValidation(prepare(schema), value).errors];
  } catch (error) {
    if (error instanceof OutOfTime) return [OUT_OF_TIME];
    throw error;
  }
}

function bounded<T>({ plain }: PreparedSchema, run: () => T): T {
  return plain ? run() : withinTime(run);
}

export const OUT_OF_TIME: AnswerError = {
  pointer: '',
  message: 'could not be checked in time; expected something simpler',
};
