/**
 * CreateTaskPushNotificationConfig (A2A 3.1.7). An id that stands is registered anew, and goes on from where it was: the
 * same request twice makes one config, and a receiver that was given up comes back.
 */
import type { Owner } from '../ids.ts';
import type { Deps } from '../ports.ts';
import type { CreatePushConfigRequest } from '../requests.ts';
import { type TaskPushNotificationConfig, viewPushConfig } from '../view/view-push-config.ts';
import { ownedTask } from './owned-task.ts';
import { checkReceiver, pushPorts, registerPush } from './register-push.ts';

/**
 * @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND, INVALID_PARAMS (the address),
 *   UNSUPPORTED_OPERATION (too many)
 */
export async function createPushConfig(
  deps: Deps,
  owner: Owner,
  request: CreatePushConfigRequest,
): Promise<TaskPushNotificationConfig> {
  pushPorts(deps);
  const head = await ownedTask(deps, owner, request.taskId);
  await checkReceiver(deps, request);
  const { config } = await registerPush(deps, head, request);
  return viewPushConfig(head.taskId, config);
}
