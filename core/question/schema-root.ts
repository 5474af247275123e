/** What deciding about an answer needs to know of an expanded schema's root: its properties and which are special. */
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Schema } from './schema-keywords.ts';

export interface SchemaRoot {
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
  /** Names of `writeOnly` properties. */
  readonly secret: readonly string[];
}

export function rootOf({ properties, required }: JsonObject): SchemaRoot {
  const known = new Map(isJsonObject(properties) ? (Object.entries(properties) as [string, Schema][]) : []);
  return {
    properties: known,
    required: Array.isArray(required) ? (required as readonly string[]) : [],
    secret: [...known].filter(([, schema]) => isWriteOnly(schema)).map(([name]) => name),
  };
}

/** Said of the property itself, or through a reference beside other keywords, which expanding turns into `allOf`. */
export function isWriteOnly(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  if (schema.writeOnly === true) return true;
  return Array.isArray(schema.allOf) && (schema.allOf as readonly Schema[]).some(isWriteOnly);
}

/** Whether every valid value is a string. */
export function isText(schema: Schema | undefined): boolean {
  if (schema === undefined || typeof schema === 'boolean') return false;
  const { type, enum: values } = schema;
  if (type !== undefined)
    return type === 'string' || (Array.isArray(type) && type.length === 1 && type[0] === 'string');
  if (Array.isArray(values)) return values.every((value: unknown) => typeof value === 'string');
  return typeof schema.const === 'string';
}
