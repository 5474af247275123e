/** JSON values and the few pure operations on them that the domain needs. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that stands in JSON as it is, one byte for each character. */
const NOT_AS_IT_IS = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

/**
 * The size of a JSON value's compact JSON in UTF-8 bytes: what DynamoDB bills and what limits are stated in. Counted
 * without making the text, since whoever asks keeps the value. `undefined` is treated as JSON.stringify does.
 */
export function jsonBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return NOT_AS_IT_IS.test(value) ? Buffer.byteLength(JSON.stringify(value)) : value.length + 2;
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4;
    case 'boolean':
      return value ? 4 : 5;
    case 'object':
      if (value === null) return 4;
      return Array.isArray(value) ? listBytes(value) : objectBytes(value as { readonly [name: string]: unknown });
    default:
      return 0;
  }
}

function listBytes(list: readonly unknown[]): number {
  let bytes = 2 + Math.max(0, list.length - 1);
  for (const item of list) bytes += item === undefined ? 4 : jsonBytes(item);
  return bytes;
}

function objectBytes(object: { readonly [name: string]: unknown }): number {
  let bytes = 1;
  // Without a list of the names: JSON inherits none.
  for (const name in object) {
    const value = object[name];
    // Colon, and the comma or the bracket that follows.
    if (value !== undefined) bytes += jsonBytes(name) + jsonBytes(value) + 2;
  }
  return Math.max(bytes, 2);
}

/**
 * JSON with the keys of every object sorted, so that two spellings of one value give the same bytes.
 * `undefined` properties are left out, as JSON.stringify does.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  }
  if (!isJsonObject(value)) return scalarJson(value);
  let out = '{';
  for (const name of Object.keys(value).sort()) {
    const inner = value[name];
    if (inner === undefined) continue;
    out += `${out === '{' ? '' : ','}${scalarJson(name)}:${canonicalJson(inner)}`;
  }
  return `${out}}`;
}

function scalarJson(value: unknown): string {
  return typeof value === 'string' && !NOT_AS_IT_IS.test(value) ? `"${value}"` : JSON.stringify(value);
}
