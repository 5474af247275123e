/** CancelTask (A2A 3.1.5). Canceling a canceled task again has the same effect (3.3.1): the task as it is. */
import { ProtocolError, taskNotFound } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { CancelTaskRequest } from '../requests.ts';
import type { TaskHead } from '../task.ts';
import { viewTask } from '../view/view-task.ts';
import { change } from './change.ts';
import { doAllDue } from './do-due.ts';
import { ownedTask } from './owned-task.ts';

/** @throws ProtocolError TASK_NOT_FOUND, TASK_NOT_CANCELABLE */
export async function cancelTask(deps: Deps, owner: Owner, request: CancelTaskRequest): Promise<Task> {
  const head = await canceled(deps, await ownedTask(deps, owner, request.id));
  return viewTask(deps.store, head);
}

async function canceled(deps: Deps, head: TaskHead): Promise<TaskHead> {
  const changed = await change(deps, head, () => ({ type: 'cancel' }));
  if (changed.ok) return changed.head;
  if (!changed.head) throw taskNotFound(head.taskId);
  if (changed.rejection === 'overdue') {
    const settled = await doAllDue(deps, changed.head);
    if (!settled) throw taskNotFound(head.taskId);
    return canceled(deps, settled);
  }
  if (changed.head.status.state === 'TASK_STATE_CANCELED') return changed.head;
  throw new ProtocolError('TASK_NOT_CANCELABLE', `Task ${head.taskId} has already ended`, {
    metadata: { taskId: head.taskId, state: changed.head.status.state },
  });
}
