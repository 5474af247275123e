/**
 * A credential arrives at the callback address of an authorisation that a task waits for. The head decides that it is
 * taken once: while the task is auth-required, and not after its expiry. The credential itself is sealed into an item
 * of its own; what the task's record says is that there is one.
 */
import type { Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';
import { doOverdue } from './do-due.ts';
import { sealSecret } from './secrets.ts';
import { type CallbackAddress, type CallbackResult, vouchedHead } from './vouched.ts';

/**
 * @throws RetryableError when the store does not answer or the task kept changing: the same call may be made again
 */
export async function grantAuth(deps: Deps, address: CallbackAddress, credential: Json): Promise<CallbackResult> {
  const head = await vouchedHead(deps, 'auth', address);
  const settled = head && (await doOverdue(deps, head));
  if (!settled) return 'not-found';
  if (settled.auth?.authId !== address.id) return 'gone';
  return take(deps, settled, address.id, credential);
}

async function take(deps: Deps, head: TaskHead, authId: string, credential: Json): Promise<CallbackResult> {
  const { taskId } = head;
  const secret = await sealSecret(deps, taskId, credential);
  const changed = await change(deps, head, () => ({ type: 'grant', authId, secret }));
  if (changed.ok) return 'done';
  // Written before the head was, and named by nobody. Should this be lost as well, it goes with the task's end.
  await deps.store.dropSecret(taskId, secret.id);
  if (!changed.head) return 'not-found';
  if (changed.rejection === 'overdue') await doOverdue(deps, changed.head);
  return 'gone';
}
