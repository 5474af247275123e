/** DeleteTaskPushNotificationConfig (A2A 3.1.10). Deleting what is not there has the same effect. */
import { taskNotFound } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { Deps } from '../ports.ts';
import type { PushConfigName } from '../requests.ts';
import { change } from './change.ts';
import { ownedTask } from './owned-task.ts';
import { pushPorts } from './register-push.ts';

/**
 * The config goes first: from then on nothing is sent, and a sender that is at work finds it gone at its next write.
 * @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND
 */
export async function deletePushConfig(deps: Deps, owner: Owner, { taskId, id }: PushConfigName): Promise<void> {
  const { store } = pushPorts(deps);
  const head = await ownedTask(deps, owner, taskId);
  if (!head.push?.ids.includes(id)) return;
  await store.delete(head, id);
  const changed = await change(deps, head, () => ({ type: 'remove-push', configId: id }));
  if (!changed.head) throw taskNotFound(taskId);
}
