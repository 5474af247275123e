/**
 * Schemas whose checks need no time limit, because no answer can make them slow: each value of an answer meets one
 * schema, and each keyword of that looks at the value once. Starting V8's time limit costs more than such a check.
 * Most questions are of this kind; everything else, patterns and combined schemas above all, runs under the limit.
 */
import type { Json } from '../json.ts';
import { mapSubschemas, type Schema } from './schema-keywords.ts';

/** One walk over the value, and no way to meet it with a second schema. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  '$comment',
  'additionalProperties',
  'const',
  'default',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'prefixItems',
  'properties',
  'readOnly',
  'required',
  'title',
  'type',
  'writeOnly',
]);

/** Formats that are matched in linear time, without alternatives that could be tried again. */
const PLAIN_FORMATS: ReadonlySet<Json> = new Set(['date', 'time', 'date-time', 'uuid']);

/** Values of an `enum` are compared one by one, for every item of a list. */
const ENUM_MAX = 50;

/** @param schema without references, as `expandSchema` gives it */
export function isPlain(schema: Schema): boolean {
  if (typeof schema === 'boolean') return true;
  const { format, enum: values } = schema;
  if (!Object.keys(schema).every((keyword) => PLAIN_KEYWORDS.has(keyword))) return false;
  if (format !== undefined && !PLAIN_FORMATS.has(format)) return false;
  if (Array.isArray(values) && values.length > ENUM_MAX) return false;
  let plain = true;
  mapSubschemas(schema, (sub) => {
    plain &&= isPlain(sub);
    return sub;
  });
  return plain;
}
