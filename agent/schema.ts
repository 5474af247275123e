/**
 * The two kinds of schema an author may give: a JSON Schema literal, or a schema of a library that speaks Standard
 * Schema and Standard JSON Schema (zod 4, arktype; valibot with its converter). Types first, then the conversion.
 */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { errorText } from '../core/error-text.ts';
import { AgentFault } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer } from '../core/question/pointer.ts';
import { mapSubschemas } from '../core/question/schema-keywords.ts';
import type { AnswerError } from '../core/question/types.ts';
import { toJson } from './json-value.ts';

/** A JSON Schema; written as a literal (inline, or `as const`) the answer is typed from it. */
export type JsonSchema = Exclude<JSONSchema, boolean> & { readonly '~standard'?: never };

/** What Askback needs of a library's schema: https://standardschema.dev. */
export interface StandardJson<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type AnswerSchema = JsonSchema | StandardJson;

/** What the code gets. Without a schema: the caller's text. */
export type AnswerOf<S> = S extends undefined ? string : Typed<S, 'output'>;

/** What a caller sends, and so what a default is. Differs from `AnswerOf` where a library's schema transforms. */
export type AnswerInputOf<S> = S extends undefined ? string : Typed<S, 'input'>;

type Typed<S, Side extends 'input' | 'output'> = S extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly [K in Side]: infer T }
    ? T
    : unknown
  : S extends Exclude<JSONSchema, boolean>
    ? FromSchema<S>
    : unknown;

/** A schema of arktype is a function. */
export function isStandard(schema: AnswerSchema): schema is StandardJson {
  return ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema;
}

/** The schema as it goes to the caller. Throws AgentFault BAD_QUESTION (or NOT_JSON); `what` names the ask. */
export function jsonSchemaOf(schema: AnswerSchema, what: string): JsonObject {
  const json = toJson(isStandard(schema) ? converted(schema, what) : schema, `the schema of ${what}`);
  if (!isJsonObject(json)) throw new AgentFault('BAD_QUESTION', `the schema of ${what} is not an object`);
  return isStandard(schema) ? withoutFormatPatterns(json) : json;
}

/** The library's own check, refinements and transformations included. Pointers are into the checked value. */
export async function validateStandard(
  schema: StandardJson,
  value: Json,
): Promise<{ readonly value: unknown } | { readonly errors: readonly AnswerError[] }> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { value: result.value };
  return {
    errors: result.issues.map(({ message, path = [] }) => ({
      pointer: path.reduce<string>((pointer, segment) => childPointer(pointer, nameOf(segment)), ''),
      message,
    })),
  };
}

function nameOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

function converted(schema: StandardJson, what: string): unknown {
  const { jsonSchema } = schema['~standard'];
  if (!jsonSchema) {
    throw new AgentFault('BAD_QUESTION', `the schema of ${what} is of a library that gives no JSON Schema`);
  }
  try {
    const { $schema: _draft, ...rest } = jsonSchema.input({ target: 'draft-2020-12' });
    // Libraries hang helpers of their own on what they return.
    return JSON.parse(JSON.stringify(rest)) as unknown;
  } catch (cause) {
    const message = errorText(cause);
    throw new AgentFault('BAD_QUESTION', `the schema of ${what} has no JSON Schema: ${message}`, { cause });
  }
}

/** Formats of JSON Schema 2020-12 that the caller's and our validators both know. */
const FORMATS = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
]);

/**
 * Libraries spell a format out as a pattern beside it, some of them patterns that no careful validator runs. Known
 * formats say the same; formats that only the library knows are checked by the library in the next turn.
 */
function withoutFormatPatterns(schema: JsonObject): JsonObject {
  const { format, pattern, ...rest } = schema;
  const own: JsonObject = {
    ...rest,
    ...(typeof format === 'string' && FORMATS.has(format) ? { format } : {}),
    ...(pattern !== undefined && typeof format !== 'string' ? { pattern } : {}),
  };
  return mapSubschemas(own, (inner) => (typeof inner === 'boolean' ? inner : withoutFormatPatterns(inner)));
}
