/**
 * A credential arrives at the callback address of an authorisation that a task waits for. The head decides that it is
 * taken once: while the task is auth-required, and not after its expiry. The credential itself is sealed into an item
 * of its own; what the task's record says is that there is one.
 */
import { isCallbackToken } from '../callbacks.ts';
import type { Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';
import { isRetired, settleQuestion } from './do-due.ts';

/** As in the address that was called. */
export interface GrantPlace {
  readonly taskId: string;
  /** The `authId`. */
  readonly id: string;
  readonly token: string;
}

export type Granted = 'done' | 'gone' | 'not-found';

/**
 * @throws RetryableError when the store does not answer or the task kept changing: the same call may be made again
 */
export async function grantAuth(deps: Deps, place: GrantPlace, credential: Json): Promise<Granted> {
  const { taskId, id: authId, token } = place;
  const head = await deps.store.load(taskId);
  if (!head || head.agent !== deps.agent.name || isRetired(deps, head)) return 'not-found';
  const { owner, bornMs } = head;
  if (!(await isCallbackToken(deps, { kind: 'auth', taskId, owner, bornMs, id: authId }, token))) return 'not-found';
  const settled = await settleQuestion(deps, head);
  if (!settled) return 'not-found';
  if (settled.auth?.authId !== authId) return 'gone';
  return take(deps, settled, authId, credential);
}

async function take(deps: Deps, head: TaskHead, authId: string, credential: Json): Promise<Granted> {
  const { taskId } = head;
  // Of its own for every attempt: who loses the race must not leave its credential under the winner's name.
  const id = deps.ids.unique();
  const sealed = await deps.cipher.seal(JSON.stringify(credential), `${taskId}/${id}`);
  const changed = await change(deps, head, () => ({ type: 'grant', authId, secret: { id, sealed } }));
  if (changed.ok) return 'done';
  // Written before the head was, and named by nobody. Should this be lost as well, it goes with the task's end.
  await deps.store.dropSecret(taskId, id);
  if (!changed.head) return 'not-found';
  if (changed.rejection === 'overdue') await settleQuestion(deps, changed.head);
  return 'gone';
}
