/**
 * The keywords of JSON Schema 2020-12 and what each may hold. Everything that walks a schema goes by this table, so
 * that a `$ref` inside an `enum` is a value and a `$ref` inside `properties` is a reference. Unknown keywords are
 * annotations, as the standard says.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { unreachable } from '../unreachable.ts';
import { childPointer } from './pointer.ts';

export type KeywordKind =
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'number'
  | 'positive'
  | 'count'
  | 'boolean'
  | 'string'
  | 'names'
  | 'name-lists'
  | 'type'
  | 'values'
  | 'any';

const kinds: Readonly<Record<KeywordKind, readonly string[]>> = {
  schema: [
    'additionalProperties',
    'unevaluatedProperties',
    'items',
    'unevaluatedItems',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ],
  schemas: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  'schema-map': ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  positive: ['multipleOf'],
  count: [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ],
  boolean: ['uniqueItems', 'readOnly', 'writeOnly', 'deprecated'],
  string: ['pattern', 'format', '$ref', '$schema', '$id', '$comment', 'title', 'description'],
  names: ['required'],
  'name-lists': ['dependentRequired'],
  type: ['type'],
  values: ['enum'],
  any: ['const', 'default', 'examples'],
};

const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind as KeywordKind] as const)),
);

/** Keywords that would be ignored, or be taken for something else than the author means. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['$dynamicRef', 'is not supported; use $ref'],
  ['$dynamicAnchor', 'is not supported; use $ref with a JSON Pointer'],
  ['$recursiveRef', 'is not part of JSON Schema 2020-12; recursive schemas are not supported'],
  ['$recursiveAnchor', 'is not part of JSON Schema 2020-12; recursive schemas are not supported'],
  ['$anchor', 'is not supported; use $ref with a JSON Pointer'],
  ['$vocabulary', 'is not supported'],
  ['$async', 'is not part of JSON Schema'],
  ['nullable', 'is not part of JSON Schema 2020-12; list "null" in type'],
  ['additionalItems', 'is not part of JSON Schema 2020-12; use prefixItems and items'],
  ['dependencies', 'is not part of JSON Schema 2020-12; use dependentRequired or dependentSchemas'],
]);

/** Keywords that say nothing about which values are valid. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  '$defs',
  '$id',
  '$schema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

export type Schema = JsonObject | boolean;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Why this keyword cannot stand here with this value; undefined when it can. */
export function keywordProblem(keyword: string, value: Json): string | undefined {
  const refused = REFUSED.get(keyword);
  if (refused) return refused;
  const kind = KEYWORDS.get(keyword);
  return kind === undefined || isOfKind(kind, value) ? undefined : `must be ${WANTED[kind]}`;
}

const WANTED: Readonly<Record<KeywordKind, string>> = {
  schema: 'a schema',
  schemas: 'a list of at least one schema',
  'schema-map': 'an object of schemas',
  number: 'a number',
  positive: 'a number greater than 0',
  count: 'an integer of at least 0',
  boolean: 'true or false',
  string: 'a string',
  names: 'a list of different strings',
  'name-lists': 'an object of lists of strings',
  type: `one of ${TYPES.join(', ')}, or a list of them`,
  values: 'a list of at least one value',
  any: 'any value',
};

function isOfKind(kind: KeywordKind, value: Json): boolean {
  switch (kind) {
    case 'schema':
      return isSchema(value);
    case 'schemas':
      return Array.isArray(value) && value.length > 0 && value.every(isSchema);
    case 'schema-map':
      return isJsonObject(value) && Object.values(value).every(isSchema);
    case 'number':
      return typeof value === 'number';
    case 'positive':
      return typeof value === 'number' && value > 0;
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'names':
      return isNames(value);
    case 'name-lists':
      return isJsonObject(value) && Object.values(value).every(isNames);
    case 'type':
      return isTypeName(value) || (isNames(value) && value.length > 0 && value.every(isTypeName));
    case 'values':
      return Array.isArray(value) && value.length > 0;
    case 'any':
      return true;
    default:
      return unreachable('kind of keyword', kind);
  }
}

function isNames(value: Json): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((name: unknown) => typeof name === 'string') &&
    new Set(value).size === value.length
  );
}

function isTypeName(value: Json): boolean {
  return typeof value === 'string' && TYPES.includes(value);
}

/** The schema with every direct subschema replaced; values that only look like schemas stay as they are. */
export function mapSubschemas(schema: JsonObject, map: (subschema: Schema, pointer: string) => Schema): JsonObject {
  const one = (value: Json, pointer: string): Json => (isSchema(value) ? map(value, pointer) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const pointer = childPointer('', keyword);
    switch (KEYWORDS.get(keyword)) {
      case 'schema':
        return [keyword, one(value, pointer)];
      case 'schemas':
        return [keyword, Array.isArray(value) ? value.map((item, i) => one(item, childPointer(pointer, i))) : value];
      case 'schema-map':
        if (!isJsonObject(value)) return [keyword, value];
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, sub]) => [name, one(sub, childPointer(pointer, name))])),
        ];
      default:
        return [keyword, value];
    }
  });
  return Object.fromEntries(entries);
}
