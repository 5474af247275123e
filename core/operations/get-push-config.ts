/** GetTaskPushNotificationConfig (A2A 3.1.8). */
import { ProtocolError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { Deps } from '../ports.ts';
import type { PushConfigName } from '../requests.ts';
import { type TaskPushNotificationConfig, viewPushConfig } from '../view/view-push-config.ts';
import { ownedTask } from './owned-task.ts';
import { pushPorts } from './register-push.ts';

/** @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND (of the config as well, as the protocol says) */
export async function getPushConfig(
  deps: Deps,
  owner: Owner,
  { taskId, id }: PushConfigName,
): Promise<TaskPushNotificationConfig> {
  const { store } = pushPorts(deps);
  const head = await ownedTask(deps, owner, taskId);
  const config = head.push?.ids.includes(id) ? await store.get(head, id) : undefined;
  if (config) return viewPushConfig(taskId, config);
  throw new ProtocolError('TASK_NOT_FOUND', `Task ${taskId} has no push notification config ${JSON.stringify(id)}`, {
    metadata: { taskId, id },
  });
}
