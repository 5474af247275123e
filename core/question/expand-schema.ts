/**
 * Replaces every `$ref` by what it points at. Schemas of questions are small and never recursive, so the expanded form
 * is finite, and everything after works on one plain tree: compiling, naming what was wrong, finding properties.
 */

import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { childPointer, pointerNames } from './pointer.ts';
import { ANNOTATIONS, isSchema, mapSubschemas, type Schema } from './schema-keywords.ts';

/** What is wrong with a schema and where; `open-question.ts` makes it an AgentFault. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem';
  /** JSON Pointer into the schema. */
  readonly pointer: string;
  constructor(pointer: string, message: string, options: { cause?: unknown } = {}) {
    super(`${pointer === '' ? 'the schema' : `the schema at ${pointer}`} ${message}`, options);
    this.pointer = pointer;
  }
}

interface Walk {
  readonly root: JsonObject;
  nodes: number;
}

/**
 * The same schema without `$ref`, `$defs`, `$id` and `$schema`.
 * @throws SchemaProblem for a reference that is not local, leads nowhere or to itself, and beyond the limits of depth
 *   and nodes
 */
export function expandSchema(root: JsonObject): JsonObject {
  return expand({ root, nodes: 0 }, root, '', 1, []) as JsonObject;
}

function expand(walk: Walk, schema: Schema, at: string, depth: number, refs: readonly string[]): Schema {
  walk.nodes += 1;
  if (walk.nodes > limits.schemaNodes) {
    throw new SchemaProblem('', `has more than ${limits.schemaNodes} nodes once references are expanded`);
  }
  if (depth > limits.schemaDepth) throw new SchemaProblem(at, `is more than ${limits.schemaDepth} schemas deep`);
  if (typeof schema === 'boolean') return schema;
  const { $ref, $defs: _defs, definitions: _old, $id: _id, $schema: _dialect, ...own } = schema;
  const expanded = mapSubschemas(own, (sub, pointer) => expand(walk, sub, at + pointer, depth + 1, refs));
  if ($ref === undefined) return expanded;
  const target = expandRef(walk, $ref, childPointer(at, '$ref'), depth, refs);
  if (Object.keys(expanded).length === 0) return target;
  const onlyAnnotations = Object.keys(expanded).every((keyword) => ANNOTATIONS.has(keyword));
  if (onlyAnnotations && typeof target !== 'boolean') return { ...target, ...expanded };
  return { ...expanded, allOf: [...(Array.isArray(expanded.allOf) ? expanded.allOf : []), target] };
}

function expandRef(walk: Walk, ref: Json, at: string, depth: number, refs: readonly string[]): Schema {
  const pointer = localPointer(ref, at);
  if (refs.includes(pointer)) throw new SchemaProblem(at, 'leads back to itself; recursive schemas are not supported');
  return expand(walk, resolve(walk.root, pointer, at), pointer, depth, [...refs, pointer]);
}

/**
 * The JSON Pointer in a local reference.
 * @throws SchemaProblem when the reference is anything else
 */
export function localPointer(ref: Json, at: string): string {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) {
    throw new SchemaProblem(at, 'must be a JSON Pointer within the schema, such as #/$defs/name');
  }
  try {
    return decodeURIComponent(ref.slice(1));
  } catch (cause) {
    throw new SchemaProblem(at, 'is not a well-formed reference', { cause });
  }
}

/** @throws SchemaProblem when nothing stands there, or something else than a schema */
export function resolve(root: JsonObject, pointer: string, at: string): Schema {
  let found: Json = root;
  for (const name of pointerNames(pointer)) {
    const holder: { readonly [name: string]: Json } | undefined =
      isJsonObject(found) || Array.isArray(found) ? (found as { readonly [name: string]: Json }) : undefined;
    if (!holder || !Object.hasOwn(holder, name)) throw new SchemaProblem(at, `leads nowhere: #${pointer}`);
    found = holder[name] as Json;
  }
  if (!isSchema(found)) throw new SchemaProblem(at, `does not lead to a schema: #${pointer}`);
  return found;
}

/** The schema as it reads when it stands at `prefix` of a larger one: its references follow the move. */
export function moveSchema(schema: Schema, prefix: string): Schema {
  if (typeof schema === 'boolean') return schema;
  const moved = mapSubschemas(schema, (sub) => moveSchema(sub, prefix));
  if (typeof moved.$ref !== 'string') return moved;
  return { ...moved, $ref: `#${prefix}${moved.$ref.slice(1)}` };
}
