/** Reads `Kept` values back: from the head, or from the blob it names. */
import { jsonBytes } from '../json.ts';
import type { TaskStore } from '../ports.ts';
import type { Kept, TaskHead } from '../task.ts';

/**
 * The value: at once where it stands in the head.
 * @throws Error when the blob is missing: it is written before what names it and deleted after, so this is a fault
 */
export function resolveKept<T>(store: TaskStore, head: TaskHead, kept: Kept<T>): T | Promise<T> {
  return 'value' in kept ? kept.value : fromBlob<T>(store, head, kept.blob);
}

async function fromBlob<T>(store: TaskStore, head: TaskHead, blob: string): Promise<T> {
  const json = await store.blob(head, blob);
  if (json === undefined) throw new Error(`blob ${blob} of task ${head.taskId} is missing`);
  return JSON.parse(json) as T;
}

/** The size of a value, known without reading it. */
export function keptBytes(kept: Kept<unknown>): number {
  return 'value' in kept ? jsonBytes(kept.value) : kept.bytes;
}
