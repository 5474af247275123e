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
  return copy(value, { what, keys: [], above: [] });
}

/** Where the copy is: kept as it is cheapest, and put in words only for a value that is refused. */
interface Place {
  readonly what: string;
  readonly keys: (string | number)[];
  /** What holds the value, outermost first. */
  readonly above: object[];
}

function copy(value: unknown, place: Place): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return refuse(place, String(value));
    // JSON has no negative zero; the first run sees 0, as every replay does.
    return value === 0 ? 0 : value;
  }
  if (typeof value !== 'object') return refuse(place, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  const { above } = place;
  if (above.includes(value)) return refuse(place, 'a reference to what holds it');
  if (above.length >= limits.stepResultDepth) {
    return refuse(place, `nested deeper than ${limits.stepResultDepth} levels`);
  }
  above.push(value);
  const result = Array.isArray(value) ? copyArray(value, place) : copyObject(value, place);
  above.pop();
  return result;
}

function copyInner(value: unknown, key: string | number, place: Place): Json {
  place.keys.push(key);
  const inner = copy(value, place);
  place.keys.pop();
  return inner;
}

function copyArray(value: readonly unknown[], place: Place): Json {
  const out: Json[] = [];
  for (let index = 0; index < value.length; index++) out.push(copyInner(value[index], index, place));
  // No element is missing here (a hole was refused as undefined), so what is over is a named property.
  const extra = Object.keys(value)[value.length] ?? symbolOf(value);
  return extra === undefined ? out : refuse(place, `an array with the property ${String(extra)}`);
}

function copyObject(value: object, place: Place): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object of any realm has no prototype itself.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!plain) return refuse(place, `a ${className(value)}, not a plain object`);
  const symbol = symbolOf(value);
  if (symbol !== undefined) return refuse(place, `an object with the key ${String(symbol)}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return refuse(place, 'an object with toJSON');
  const out: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const inner = copyInner((value as Record<string, unknown>)[key], key, place);
    // As JSON.parse does: "__proto__" is a property like any other.
    if (key === '__proto__') {
      Object.defineProperty(out, key, { value: inner, enumerable: true, writable: true, configurable: true });
    } else out[key] = inner;
  }
  return out;
}

function symbolOf(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return undefined;
  return symbols.find((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}

function step(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function refuse({ what, keys }: Place, found: string): never {
  throw new AgentFault('NOT_JSON', `not JSON: ${what}: $${keys.map(step).join('')} is ${found}`);
}
