/** What another agent gives, as plain JSON within bounds: whatever it is, recording it never fails. */
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { boundErrors } from '../core/question/json-bounds.ts';

/** A message or an artifact as far as code that reads its parts needs it to be one. */
export function hasParts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { parts } = value as { readonly parts?: unknown };
  return Array.isArray(parts) && parts.every((part) => typeof part === 'object' && part !== null);
}

/** Without what JSON leaves out; undefined where it is too large or too deep. */
export function boundedJson(value: unknown): Json | undefined {
  let json: Json;
  try {
    json = JSON.parse(JSON.stringify(value)) as Json;
  } catch {
    // Deeper than the stack, or no JSON at all.
    return undefined;
  }
  const bounds = { bytes: limits.delegateResultBytes, depth: limits.stepResultDepth, arrayItems: 10_000 };
  return boundErrors(json, bounds).length === 0 ? json : undefined;
}
