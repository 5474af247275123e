/**
 * Reads one node of an answer schema: local references followed, `allOf` merged, "this or null" recognised. It bounds how
 * deep it looks, because schemas come from strangers; whether an answer is valid is decided by the agent alone.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

export interface Node {
  /** Without `$ref`, `allOf` and the null branch. */
  readonly schema: JsonObject;
  readonly nullable: boolean;
}

/** As the server's own limit for questions. */
export const MAX_DEPTH = 20;
const MAX_MERGES = 500;

/** @param root where `$ref` points into */
export function readNode(schema: Json | undefined, root: JsonObject): Node {
  const merged = merge(schema, root, { left: MAX_MERGES }, 0);
  return withoutNull(merged, root);
}

/** References to references could go on for ever, or double with every step. */
interface Budget {
  left: number;
}

function merge(schema: Json | undefined, root: JsonObject, budget: Budget, depth: number): JsonObject {
  if (!isJsonObject(schema) || depth > MAX_DEPTH || budget.left <= 0) return {};
  budget.left -= 1;
  const { $ref: ref, allOf, ...own } = schema;
  const pieces = [
    ...(typeof ref === 'string' ? [merge(referenced(ref, root), root, budget, depth + 1)] : []),
    ...(Array.isArray(allOf) ? (allOf as readonly Json[]).map((piece) => merge(piece, root, budget, depth + 1)) : []),
  ];
  return pieces.reduceRight<JsonObject>((whole, piece) => join(piece, whole), own);
}

/** What `over` says wins; properties and required names of both count. */
function join(under: JsonObject, over: JsonObject): JsonObject {
  const properties = { ...objectOf(under.properties), ...objectOf(over.properties) };
  const required = [...names(under.required), ...names(over.required)];
  return {
    ...under,
    ...over,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Undefined for what is remote or not there. */
function referenced(ref: string, root: JsonObject): Json | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const name = nameIn(step);
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

function nameIn(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // Taken as it stands.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function withoutNull(schema: JsonObject, root: JsonObject): Node {
  const { type, ...others } = schema;
  if (Array.isArray(type) && type.includes('null') && type.length === 2) {
    const [only = null] = type.filter((name) => name !== 'null');
    return { schema: { ...others, type: only }, nullable: true };
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length !== 2) continue;
    const nodes = (branches as readonly Json[]).map((branch) => merge(branch, root, { left: MAX_MERGES }, 1));
    const value = nodes.find((node) => node.type !== 'null');
    if (value === undefined || nodes.every((node) => node.type !== 'null')) continue;
    const { [keyword]: _branches, ...rest } = schema;
    return { schema: join(value, rest), nullable: true };
  }
  return { schema, nullable: false };
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function names(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}
