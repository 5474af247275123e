/**
 * The size of a head as compact JSON, part by part. A head shares with the one before it whatever a move did not touch,
 * and nothing in a head is ever changed in place: so each part is measured once.
 */
import { jsonBytes } from './json.ts';
import type { TaskHead } from './task.ts';

const measured = new WeakMap<object, number>();

/** In UTF-8 bytes; the same as of the head's JSON. */
export function headBytes(head: TaskHead): number {
  let bytes = 2;
  let properties = 0;
  for (const [name, value] of Object.entries(head)) {
    if (value === undefined) continue;
    properties += 1;
    // The names are plain; quotes and the colon.
    bytes += name.length + 3 + (Array.isArray(value) ? listBytes(value) : partBytes(value));
  }
  return bytes + Math.max(0, properties - 1);
}

/** Of a list of the head: its log, its calls. */
export function listBytes(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + partBytes(value), 2 + Math.max(0, values.length - 1));
}

/** Of one entry of such a list. */
export function partBytes(part: unknown): number {
  if (typeof part !== 'object' || part === null) return jsonBytes(part);
  const known = measured.get(part);
  if (known !== undefined) return known;
  const bytes = jsonBytes(part);
  measured.set(part, bytes);
  return bytes;
}
