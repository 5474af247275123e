/** ListTaskPushNotificationConfigs (A2A 3.1.9), in the order of their ids. */
import type { Owner } from '../ids.ts';
import type { Deps } from '../ports.ts';
import type { ListPushConfigsRequest } from '../requests.ts';
import { type TaskPushNotificationConfig, viewPushConfig } from '../view/view-push-config.ts';
import { ownedTask } from './owned-task.ts';
import { pushPorts } from './register-push.ts';

export interface ListedPushConfigs {
  readonly configs: readonly TaskPushNotificationConfig[];
  /** The id of the page's last config; empty on the last page. */
  readonly nextPageToken: string;
}

/** @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND */
export async function listPushConfigs(
  deps: Deps,
  owner: Owner,
  { taskId, pageSize, pageToken = '' }: ListPushConfigsRequest,
): Promise<ListedPushConfigs> {
  const { store } = pushPorts(deps);
  const head = await ownedTask(deps, owner, taskId);
  const ids = head.push?.ids ?? [];
  const standing = ids.length === 0 ? [] : await store.list(head);
  const rest = standing.filter(({ id }) => ids.includes(id) && id > pageToken);
  const page = rest.slice(0, pageSize || rest.length);
  const more = page.length < rest.length;
  return {
    configs: page.map((config) => viewPushConfig(taskId, config)),
    nextPageToken: more ? (page.at(-1)?.id ?? '') : '',
  };
}
