/**
 * The strict way from an author's value to JSON: a copy, or an error that names the first place that JSON would change.
 * Nothing is dropped or converted in silence, because a replay would then see another value than the first run did.
 */
import { AgentFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';

/**
 * A plain JSON copy of `value`. `what` opens the message, as in `the result of step "file"`.
 * Throws AgentFault NOT_JSON with a path such as `$.items[2].when`.
 */
export function toJson(value: unknown, what: string): Json {
  return copy(value, '$', 0, new Set(), what);
}

function copy(value: unknown, path: string, depth: number, above: Set<object>, what: string): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return refuse(what, path, String(value));
    // JSON has no negative zero; the first run sees 0, as every replay does.
    return value === 0 ? 0 : value;
  }
  if (typeof value !== 'object') {
    return refuse(what, path, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
  if (above.has(value)) return refuse(what, path, 'a reference to what holds it');
  if (depth >= limits.stepResultDepth) return refuse(what, path, `nested deeper than ${limits.stepResultDepth} levels`);
  above.add(value);
  const result = Array.isArray(value)
    ? copyArray(value, path, depth, above, what)
    : copyObject(value, path, depth, above, what);
  above.delete(value);
  return result;
}

function copyArray(value: readonly unknown[], path: string, depth: number, above: Set<object>, what: string): Json {
  const out: Json[] = [];
  for (let index = 0; index < value.length; index++) {
    out.push(copy(value[index], `${path}[${index}]`, depth + 1, above, what));
  }
  // No element is missing here (a hole was refused as undefined), so what is over is a named property.
  const extra = Object.keys(value)[value.length] ?? symbolOf(value);
  return extra === undefined ? out : refuse(what, path, `an array with the property ${String(extra)}`);
}

function copyObject(value: object, path: string, depth: number, above: Set<object>, what: string): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object of any realm has no prototype itself.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!plain) return refuse(what, path, `a ${className(value)}, not a plain object`);
  const symbol = symbolOf(value);
  if (symbol !== undefined) return refuse(what, path, `an object with the key ${String(symbol)}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return refuse(what, path, 'an object with toJSON');
  const out: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const inner = copy((value as Record<string, unknown>)[key], `${path}${step(key)}`, depth + 1, above, what);
    // As JSON.parse does: "__proto__" is a property like any other.
    if (key === '__proto__') {
      Object.defineProperty(out, key, { value: inner, enumerable: true, writable: true, configurable: true });
    } else out[key] = inner;
  }
  return out;
}

function symbolOf(value: object): symbol | undefined {
  return Object.getOwnPropertySymbols(value).find((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}

function step(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function refuse(what: string, path: string, found: string): never {
  throw new AgentFault('NOT_JSON', `not JSON: ${what}: ${path} is ${found}`);
}
