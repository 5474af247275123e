/** Push notification configs as A2A 0.3 shows them, from 1.0's `TaskPushNotificationConfig`. */
import { isJsonObject, type JsonObject } from '../../json.ts';
import { defined } from '../fields.ts';

export function rpcConfig(config: JsonObject): JsonObject {
  return defined({ taskId: config.taskId, pushNotificationConfig: innerConfig(config) });
}

/** HTTP+JSON names a config by its path. */
export function restConfig(config: JsonObject): JsonObject {
  const name = `tasks/${String(config.taskId)}/pushNotificationConfigs/${String(config.id)}`;
  return { name, pushNotificationConfig: innerConfig(config) };
}

function innerConfig({ id, url, token, authentication }: JsonObject): JsonObject {
  if (!isJsonObject(authentication)) return defined({ id, url, token });
  const { scheme, credentials } = authentication;
  return defined({
    id,
    url,
    token,
    authentication: defined({ schemes: scheme === undefined ? [] : [scheme], credentials }),
  });
}

/** Of an answer to ListTaskPushNotificationConfigs. */
export function configsOf(answer: object | null): readonly JsonObject[] {
  const { configs } = answer as { readonly configs?: readonly JsonObject[] };
  return configs ?? [];
}
