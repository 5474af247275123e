/**
 * Reads the fields of a raw request and collects what is wrong with them, so that the caller hears of everything at once.
 * ProtoJSON rules: null is the same as absent, and so is the empty string where the field has no presence of its own.
 */
import { type FieldViolation, ProtocolError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';

const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const INT32_MAX = 2_147_483_647;

export class FieldCheck {
  readonly #violations: FieldViolation[] = [];

  /** Notes a violation; undefined, so that a reader can return it. */
  refuse(field: string, description: string): undefined {
    if (this.#violations.length < limits.violationsReported) this.#violations.push({ field, description });
    return undefined;
  }

  /** The value, when nothing was refused. Throws `INVALID_PARAMS` with all violations otherwise. */
  accept<T>(value: T | undefined): T {
    if (this.#violations.length === 0 && value !== undefined) return value;
    const shown = this.#violations.slice(0, 3).map(({ field, description }) => `${field}: ${description}`);
    const more = this.#violations.length - shown.length;
    throw new ProtocolError('INVALID_PARAMS', `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`, {
      violations: this.#violations,
    });
  }

  /** An identifier, URI or name: one line, bounded, stored and compared as it is. */
  line(value: Json | undefined, field: string, max: number): string | undefined {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') return this.refuse(field, 'must be a string');
    if (value.length > max) return this.refuse(field, `must not be longer than ${max} characters`);
    if (CONTROL.test(value)) return this.refuse(field, 'must not contain control characters');
    return this.#wellFormed(value, field);
  }

  requiredLine(value: Json | undefined, field: string, max: number): string | undefined {
    if (value === undefined || value === null) return this.refuse(field, 'is required');
    if (value === '') return this.refuse(field, 'must not be empty');
    return this.line(value, field, max);
  }

  /** Content: any length within the request, any characters that survive being stored. */
  content(value: Json | undefined, field: string): string | undefined {
    if (typeof value !== 'string') return this.refuse(field, 'must be a string');
    return this.#wellFormed(value, field);
  }

  boolean(value: Json | undefined, field: string): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    return typeof value === 'boolean' ? value : this.refuse(field, 'must be true or false');
  }

  /** A non-negative int32. */
  count(value: Json | undefined, field: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INT32_MAX) return value;
    return this.refuse(field, 'must be a non-negative integer');
  }

  lines(value: Json | undefined, field: string, max: number): readonly string[] | undefined {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) return this.refuse(field, 'must be a list of strings');
    if (value.length > limits.listItems) return this.refuse(field, `must not have more than ${limits.listItems} items`);
    const read = value.map((item: Json, index) => this.requiredLine(item, `${field}[${index}]`, max));
    return read.length === 0 ? undefined : read.filter((item) => item !== undefined);
  }

  metadata(value: Json | undefined, field: string): JsonObject | undefined {
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) return this.refuse(field, 'must be an object');
    const checked = this.json(value, field);
    if (checked !== undefined && jsonBytes(value) > limits.metadataBytes) {
      return this.refuse(field, `must not be larger than ${limits.metadataBytes} bytes`);
    }
    return checked;
  }

  /** Any JSON that can be stored and given back unchanged. */
  json<T extends Json>(value: T, field: string): T | undefined {
    const problem = problemOf(value, 1);
    return problem === undefined ? value : this.refuse(field, problem);
  }

  /** A tenant is never taken from the request: it may only repeat the one that was authenticated. */
  tenant(value: Json | undefined, owner: Owner): void {
    const tenant = this.line(value, 'tenant', limits.idLength);
    if (tenant !== undefined && tenant !== owner.tenant) this.refuse('tenant', 'is not the tenant of this caller');
  }

  #wellFormed(value: string, field: string): string | undefined {
    return LONE_SURROGATE.test(value) ? this.refuse(field, 'must be well-formed Unicode') : value;
  }
}

/** Recursion is bounded by the depth limit, whatever the caller sends. */
function problemOf(value: Json, depth: number): string | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? 'must be well-formed Unicode' : undefined;
  // JSON.parse reads 1e400 as Infinity, which would be written back as null.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'has a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > limits.requestDepth) return `must not be nested deeper than ${limits.requestDepth} levels`;
  if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      // An own property after JSON.parse, but a new prototype for whoever copies it key by key.
      if (key === '__proto__') return 'must not have a property named __proto__';
      if (LONE_SURROGATE.test(key)) return 'must be well-formed Unicode';
    }
  }
  for (const inner of Object.values(value) as Json[]) {
    const problem = problemOf(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Null is the same as absent. */
export function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without the properties that are undefined. */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Defined<T>;
}
