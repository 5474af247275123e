/** GetTask (A2A 3.1.3). An overdue question is expired first, so that nobody is shown a question they cannot answer. */
import type { Owner } from '../ids.ts';
import type { Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { GetTaskRequest } from '../requests.ts';
import { viewTask } from '../view/view-task.ts';
import { ownedTask } from './owned-task.ts';

/** @throws ProtocolError TASK_NOT_FOUND */
export async function getTask(deps: Deps, owner: Owner, request: GetTaskRequest): Promise<Task> {
  const head = await ownedTask(deps, owner, request.id);
  return viewTask(deps.store, head, request.historyLength);
}
