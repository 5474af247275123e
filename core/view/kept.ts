/** Reads `Kept` values back: from the head, or from the blob it names. */
import { jsonBytes } from '../json.ts';
import type { TaskStore } from '../ports.ts';
import type { Kept, TaskHead } from '../task.ts';

/**
 * @throws Error when the blob is missing: it is written before what names it and deleted after, so this is a fault
 */
export async function resolveKept<T>(store: TaskStore, head: TaskHead, kept: Kept<T>): Promise<T> {
  if ('value' in kept) return kept.value;
  const json = await store.blob(head, kept.blob);
  if (json === undefined) throw new Error(`blob ${kept.blob} of task ${head.taskId} is missing`);
  return JSON.parse(json) as T;
}

/** The size of a value, known without reading it. */
export function keptBytes(kept: Kept<unknown>): number {
  return 'value' in kept ? jsonBytes(kept.value) : kept.bytes;
}
