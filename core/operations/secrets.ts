/**
 * Secrets of a task: sealed into SECRET items of their own and opened for the turn that needs them. Each is bound to its
 * task and its id, so that one put under another's name opens for nobody.
 */
import type { Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';

export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

/**
 * Under an id of its own for every attempt: who loses a race must not leave its secret under the winner's name.
 * @throws RetryableError when the key cannot be read at the moment
 */
export async function sealSecret(
  { cipher, ids }: Pick<Deps, 'cipher' | 'ids'>,
  taskId: string,
  value: Json,
): Promise<SealedSecret> {
  const id = ids.unique();
  return { id, sealed: await cipher.seal(JSON.stringify(value), contextOf(taskId, id)) };
}

/**
 * @param what the secret is, for the error
 * @throws Error when it is not there, or cannot be opened: not the author's fault
 * @throws RetryableError when the store does not answer, or the key cannot be read at the moment
 */
export async function openSecret(
  { cipher, store }: Pick<Deps, 'cipher' | 'store'>,
  head: TaskHead,
  id: string | undefined,
  what: string,
): Promise<Json> {
  const sealed = id === undefined ? undefined : await store.secret(head, id);
  if (id === undefined || sealed === undefined) throw new Error(`${what} ${id} of task ${head.taskId} is missing`);
  return JSON.parse(await cipher.open(sealed, contextOf(head.taskId, id))) as Json;
}

function contextOf(taskId: string, id: string): string {
  return `${taskId}/${id}`;
}
