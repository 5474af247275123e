/** A push config as its owner sees it (A2A 4.3.1). Token and credentials are never shown again. */
import type { PushConfig } from '../push/config.ts';

/** A2A 1.0 TaskPushNotificationConfig in its JSON form. */
export interface TaskPushNotificationConfig {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
}

export function viewPushConfig(taskId: string, { id, url, scheme }: PushConfig): TaskPushNotificationConfig {
  return { id, taskId, url, ...(scheme === undefined ? {} : { authentication: { scheme } }) };
}
