/**
 * Looks through a value once, without recursion, before anything recursive touches it: is it JSON, and is it small
 * and flat enough. Answers and what an author puts into a question both pass here.
 */
import { type Json, jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import { childPointer } from './pointer.ts';
import type { AnswerError } from './types.ts';

export interface JsonBounds {
  readonly bytes: number;
  /** A scalar has depth 0, an empty list or object depth 1. */
  readonly depth: number;
  readonly arrayItems: number;
}

export const ANSWER_BOUNDS: JsonBounds = {
  bytes: limits.answerBytes,
  depth: limits.answerDepth,
  arrayItems: limits.answerArrayItems,
};

const LONE_SURROGATE = /\p{Surrogate}/u;

interface Visit {
  readonly value: unknown;
  readonly pointer: string;
  readonly depth: number;
}

/** What is wrong with the value; empty when it is JSON within the bounds. Stops at the number of errors reported. */
export function boundErrors(value: unknown, bounds: JsonBounds): AnswerError[] {
  const errors: AnswerError[] = [];
  const pending: Visit[] = [{ value, pointer: '', depth: 0 }];
  // Every value takes at least one byte. The count also ends walks through shared or circular references.
  for (let visited = 0; pending.length > 0 && errors.length < limits.answerErrorsReported; visited++) {
    if (visited > bounds.bytes) return [tooLarge(bounds)];
    const visit = pending.pop() as Visit;
    const message = problemOf(visit, bounds);
    if (message !== undefined) errors.push({ pointer: visit.pointer, message });
    else pending.push(...childrenOf(visit).reverse());
  }
  if (errors.length > 0) return errors;
  return jsonBytes(value) > bounds.bytes ? [tooLarge(bounds)] : [];
}

function tooLarge(bounds: JsonBounds): AnswerError {
  return { pointer: '', message: `expected at most ${bounds.bytes} bytes of JSON` };
}

function problemOf({ value, depth }: Visit, bounds: JsonBounds): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'string':
      return LONE_SURROGATE.test(value) ? 'holds half of a Unicode character' : undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : 'expected a finite number';
    case 'object':
      return value === null ? undefined : problemOfObject(value, depth, bounds);
    default:
      return 'expected JSON';
  }
}

function problemOfObject(value: object, depth: number, bounds: JsonBounds): string | undefined {
  if (depth >= bounds.depth) return `expected at most ${bounds.depth} levels of lists and objects`;
  if (Array.isArray(value)) {
    return value.length > bounds.arrayItems ? `expected at most ${bounds.arrayItems} items` : undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return 'expected JSON';
  const names = Object.keys(value);
  // Legal JSON, but whoever merges the value later would change a prototype instead of setting a property.
  if (names.includes('__proto__')) return 'the property name __proto__ is not allowed';
  return names.some((name) => LONE_SURROGATE.test(name))
    ? 'a property name holds half of a Unicode character'
    : undefined;
}

function childrenOf({ value, pointer, depth }: Visit): Visit[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return entries.map(([name, child]) => ({ value: child, pointer: childPointer(pointer, name), depth: depth + 1 }));
}

/** Whether two JSON values are equal; the order of properties does not count. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [namesA, namesB] = [Object.keys(a), Object.keys(b)];
  if (Array.isArray(a) !== Array.isArray(b) || namesA.length !== namesB.length) return false;
  const [inA, inB] = [a as Record<string, Json>, b as Record<string, Json>];
  return namesA.every((name) => Object.hasOwn(inB, name) && sameJson(inA[name] as Json, inB[name] as Json));
}
