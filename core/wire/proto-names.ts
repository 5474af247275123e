/**
 * Names of fields. Everything is written in lowerCamelCase (A2A 1.0 section 5.5), but a reader of ProtoJSON also takes a
 * field under the name it has in the protobuf, `task_id` for `taskId`, and some clients send those.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** What is under these is the caller's own and keeps its names. */
const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data']);
/** No request of the protocol is nested deeper: request, message, parts, part, file. */
const DEPTH = 6;

/** The same request with every field under its JSON name; the very same object where nothing is to be done. */
export function withJsonNames(request: JsonObject): JsonObject {
  return namedObject(request, DEPTH);
}

function namedObject(raw: JsonObject, depth: number): JsonObject {
  let changed = false;
  const named: [string, Json][] = [];
  for (const [key, value] of Object.entries(raw)) {
    const name = jsonName(key);
    // Given twice, the field is the one under its proper name.
    const isSecond = name !== key && Object.hasOwn(raw, name);
    const inner = FREE_FORM.has(key) ? value : namedValue(value, depth - 1);
    if (name !== key || inner !== value) changed = true;
    if (!isSecond) named.push([name, inner]);
  }
  return changed ? Object.fromEntries(named) : raw;
}

function namedValue(value: Json, depth: number): Json {
  if (depth === 0) return value;
  if (isJsonObject(value)) return namedObject(value, depth);
  if (!Array.isArray(value)) return value;
  const items: readonly Json[] = value;
  const named = items.map((item) => namedValue(item, depth - 1));
  return named.some((item, index) => item !== items[index]) ? named : items;
}

function jsonName(key: string): string {
  return key.includes('_') ? key.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase()) : key;
}
