/** Loads a task for its owner. Another owner's task is the same not-found as a random id (invariant 10). */
import { taskNotFound } from '../errors.ts';
import { type Owner, ownerKey } from '../ids.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { doOverdue, isRetired } from './do-due.ts';

/** @throws ProtocolError TASK_NOT_FOUND */
export async function ownedTask(deps: Deps, owner: Owner, taskId: string): Promise<TaskHead> {
  const head = await deps.store.load(taskId);
  if (!head || head.owner !== ownerKey(owner) || head.agent !== deps.agent.name) throw taskNotFound(taskId);
  // Its items may be half deleted already.
  if (isRetired(deps, head)) throw taskNotFound(taskId);
  const settled = await doOverdue(deps, head);
  if (!settled) throw taskNotFound(taskId);
  return settled;
}
