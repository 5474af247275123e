/**
 * Registers a receiver of notifications: with CreateTaskPushNotificationConfig, or with the message that starts or
 * continues a task. The head learns of the config first and the config is written second, so that from the moment it
 * stands every event pokes it; what happened in between lies after its cursor.
 */
import { invalidParams, ProtocolError, RetryableError, taskNotFound } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { PushPorts, PushTask } from '../push/ports.ts';
import {
  derivedConfigId,
  type PushConfig,
  type PushSecrets,
  type Registration,
  registered,
  sealContext,
} from '../push/config.ts';
import type { PushConfigRequest } from '../requests.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';
import { perform } from './perform.ts';

/**
 * @param operation named in the error
 * @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function pushPorts(deps: Deps, operation?: string): PushPorts {
  if (deps.push) return deps.push;
  throw new ProtocolError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent does not send push notifications', {
    ...(operation === undefined ? {} : { metadata: { operation } }),
  });
}

/**
 * @param field path of the config in the request, with a dot at its end
 * @throws ProtocolError PUSH_NOTIFICATION_NOT_SUPPORTED; INVALID_PARAMS for an address that nothing is posted to
 */
export async function checkReceiver(deps: Deps, request: PushConfigRequest, field = ''): Promise<void> {
  const problem = await pushPorts(deps).webhooks.refusal(request.url);
  if (problem !== undefined) throw invalidParams(`${field}url`, problem);
}

export function configIdOf({ id, url }: PushConfigRequest): string {
  return id ?? derivedConfigId(url);
}

/**
 * @param head the task as the caller saw it: events after it will be delivered
 * @returns the head as it is now, and the config as it stands
 * @throws ProtocolError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (the task has as many configs as it may)
 */
export async function registerPush(
  deps: Deps,
  head: TaskHead,
  request: PushConfigRequest,
): Promise<{ readonly head: TaskHead; readonly config: PushConfig }> {
  const { store } = pushPorts(deps);
  const wish = await sealed(deps, head.taskId, request);
  let standing = await store.get(head, wish.id);
  const known = await announce(deps, head, wish.id, standing?.cursor ?? head.generation);
  for (let lost = 0; lost <= limits.conflictRetries; lost += 1) {
    const config = registered(standing, wish, { generation: head.generation, nowMs: deps.clock.now() });
    if (await store.put(head, standing, config)) {
      await perform(deps, [{ kind: 'poke-push', taskId: head.taskId, configIds: [config.id] }]);
      return { head: known, config };
    }
    standing = await store.get(head, wish.id);
  }
  throw new RetryableError('CONFLICT', `push config ${wish.id} of task ${head.taskId} kept changing`);
}

/**
 * The config that a first message brings, written before its task: a task that exists never misses it. What it leaves
 * behind when the task was there already names another birth, and belongs to nobody.
 */
export async function registerFirst(deps: Deps, task: PushTask, request: PushConfigRequest): Promise<string> {
  const wish = await sealed(deps, task.taskId, request);
  await pushPorts(deps).store.put(task, undefined, registered(undefined, wish, { generation: 0, nowMs: task.bornMs }));
  return wish.id;
}

async function announce(deps: Deps, head: TaskHead, configId: string, cursor: number): Promise<TaskHead> {
  const changed = await change(deps, head, (now) => ({
    type: 'add-push',
    configId,
    behind: cursor < now.generation,
  }));
  if (changed.ok || changed.rejection === 'unchanged') return changed.head;
  if (!changed.head) throw taskNotFound(head.taskId);
  const most = `Task ${head.taskId} has ${limits.pushConfigsPerTask} push notification configs, the most that one may`;
  throw new ProtocolError('UNSUPPORTED_OPERATION', most, { metadata: { taskId: head.taskId } });
}

/** Secrets are encrypted before they are written anywhere. */
async function sealed(deps: Deps, taskId: string, request: PushConfigRequest): Promise<Registration> {
  const { url, token, authentication, protocol } = request;
  const id = configIdOf(request);
  const secrets: PushSecrets = {
    ...(token === undefined ? {} : { token }),
    ...(authentication?.credentials === undefined ? {} : { credentials: authentication.credentials }),
  };
  const has = Object.keys(secrets).length > 0;
  return {
    id,
    url,
    ...(authentication ? { scheme: authentication.scheme } : {}),
    ...(protocol ? { protocol } : {}),
    ...(has ? { sealed: await deps.cipher.seal(JSON.stringify(secrets), sealContext(taskId, id)) } : {}),
  };
}
