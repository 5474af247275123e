/**
 * The asker's side of schema safety: what a question's schema must be before it is asked, and the form it is asked in.
 * A schema that passes can be compiled and walked without surprises; how long its validation takes is still bounded
 * each time (validate.ts).
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { patternProblem } from './check-pattern.ts';
import { expandSchema, localPointer, moveSchema, resolve, SchemaProblem } from './expand-schema.ts';
import { boundErrors } from './json-bounds.ts';
import { lru } from './lru.ts';
import { childPointer } from './pointer.ts';
import { isSchema, keywordProblem, mapSubschemas, type Schema } from './schema-keywords.ts';
import { isWriteOnly } from './schema-root.ts';

export interface CheckedSchema {
  /** What goes into the question: the author's schema, wrapped when its root is not an object. */
  readonly schema: JsonObject;
  readonly wrapped: boolean;
}

/** The root of an answer holds these besides the answer itself. */
const RESERVED = ['questionId', 'decline'] as const;
const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
/** Twenty schemas in each other take two levels of JSON each; values in `enum` and the like may be as deep as answers. */
const JSON_DEPTH = 2 * limits.schemaDepth + limits.answerDepth;
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas'];

/** @throws SchemaProblem saying what is wrong and where */
export function checkSchema(given: Json): CheckedSchema {
  if (!isSchema(given)) throw new SchemaProblem('', 'must be an object or a boolean');
  if (given === false) throw new SchemaProblem('', 'accepts no answer');
  const schema: JsonObject = given === true ? {} : given;
  checkSize(schema);
  const key = JSON.stringify(schema);
  const known = checked.get(key);
  if (known) return known;
  const result = checkAll(schema);
  checked.set(key, result);
  return result;
}

/** Schemas that have passed: the trial of a pattern costs more than all the rest. */
const checked = lru<CheckedSchema>(limits.schemasCached);

function checkAll(schema: JsonObject): CheckedSchema {
  checkDialect(schema);
  checkNodes(schema, schema, '', new Set());
  const expanded = expandSchema(schema);
  const wrapped = !isObjectSchema(expanded);
  checkSecrets(expanded, wrapped);
  if (wrapped) return { schema: wrap(schema), wrapped };
  checkReserved(expanded);
  return { schema: withType(schema, expanded), wrapped };
}

function checkSize(schema: JsonObject): void {
  const bounds = { bytes: limits.schemaBytes, depth: JSON_DEPTH, arrayItems: limits.schemaBytes };
  const [error] = boundErrors(schema, bounds);
  if (error) throw new SchemaProblem(error.pointer, `is too large, too deep or not JSON: ${error.message}`);
}

function checkDialect({ $schema }: JsonObject): void {
  if ($schema === undefined || (typeof $schema === 'string' && DIALECT.test($schema))) return;
  throw new SchemaProblem('/$schema', 'must be https://json-schema.org/draft/2020-12/schema');
}

/** Every schema in the document, those that nothing refers to included. */
function checkNodes(root: JsonObject, schema: Schema, at: string, seen: Set<Schema>): void {
  if (typeof schema === 'boolean' || seen.has(schema)) return;
  seen.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keywordProblem(keyword, value);
    if (problem) throw new SchemaProblem(childPointer(at, keyword), problem);
  }
  if (at !== '' && (schema.$id !== undefined || schema.$schema !== undefined)) {
    throw new SchemaProblem(at, 'must not have an $id or a $schema of its own');
  }
  if (schema.uniqueItems === true && schema.maxItems === undefined) {
    throw new SchemaProblem(at, 'has uniqueItems without maxItems; comparing every two items needs a bound');
  }
  checkPatterns(schema, at);
  mapSubschemas(schema, (sub, pointer) => {
    checkNodes(root, sub, at + pointer, seen);
    return sub;
  });
  if (schema.$ref === undefined) return;
  const pointer = localPointer(schema.$ref, childPointer(at, '$ref'));
  checkNodes(root, resolve(root, pointer, childPointer(at, '$ref')), pointer, seen);
}

function checkPatterns(schema: JsonObject, at: string): void {
  const patterns: [string, string][] = [];
  if (typeof schema.pattern === 'string') patterns.push([schema.pattern, '/pattern']);
  if (isJsonObject(schema.patternProperties)) {
    for (const name of Object.keys(schema.patternProperties)) {
      patterns.push([name, childPointer('/patternProperties', name)]);
    }
  }
  for (const [pattern, pointer] of patterns) {
    const problem = patternProblem(pattern);
    if (problem) throw new SchemaProblem(at + pointer, problem);
  }
}

/** Whether every valid value is meant to be an object. `properties` without `type` is taken so. */
function isObjectSchema({ type, properties, required }: JsonObject): boolean {
  if (Array.isArray(type)) return type.length === 1 && type[0] === 'object';
  return type === undefined ? properties !== undefined || required !== undefined : type === 'object';
}

function withType(schema: JsonObject, expanded: JsonObject): JsonObject {
  return expanded.type === undefined ? { type: 'object', ...schema } : schema;
}

function wrap(schema: JsonObject): JsonObject {
  const { $id: _id, $schema: _dialect, ...rest } = schema;
  return { type: 'object', properties: { value: moveSchema(rest, '/properties/value') }, required: ['value'] };
}

/** A reserved name anywhere at the root would be taken out of the answer before it is validated. */
function checkReserved(schema: Schema, at = ''): void {
  if (typeof schema === 'boolean') return;
  for (const name of RESERVED) {
    const { properties, required } = schema;
    const asks = isJsonObject(properties) && Object.hasOwn(properties, name);
    if (asks || (Array.isArray(required) && required.includes(name))) {
      throw new SchemaProblem(at, `uses the reserved property name ${name}`);
    }
  }
  mapSubschemas(schema, (sub, pointer) => {
    if (IN_PLACE.some((keyword) => pointer === `/${keyword}` || pointer.startsWith(`/${keyword}/`))) {
      checkReserved(sub, at + pointer);
    }
    return sub;
  });
}

/** `writeOnly` is honoured on direct properties of the root; anywhere else it would promise what is not kept. */
function checkSecrets(expanded: JsonObject, wrapped: boolean): void {
  if (wrapped) return checkNoSecrets(expanded, '', true);
  if (expanded.writeOnly === true) throw new SchemaProblem('/writeOnly', 'stands at the root; put it on properties');
  mapSubschemas(expanded, (sub, pointer) => {
    checkNoSecrets(sub, pointer, pointer.startsWith('/properties/'));
    return sub;
  });
}

function checkNoSecrets(schema: Schema, at: string, allowedHere: boolean): void {
  if (typeof schema === 'boolean') return;
  if (schema.writeOnly === true && !allowedHere) {
    throw new SchemaProblem(at, 'has writeOnly below the root; only direct properties of the root can be secret');
  }
  mapSubschemas(schema, (sub, pointer) => {
    checkNoSecrets(sub, at + pointer, allowedHere && pointer.startsWith('/allOf/') && isWriteOnly(schema));
    return sub;
  });
}
