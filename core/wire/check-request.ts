/**
 * Checks raw requests before an operation sees them (A2A 1.0 section 5.7): required fields, exact types and enums, sizes.
 * By hand, because the api must not pay for compiling schemas before its first answer.
 * All throw `INVALID_PARAMS` with one violation for each wrong field.
 */
import type { Owner } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { CancelTaskRequest, GetTaskRequest, SendMessageRequest, SubscribeToTaskRequest } from '../requests.ts';
import { readLongPoll, readPrecondition } from './check-extension.ts';
import { readMessage } from './check-message.ts';
import { readInlinePushConfig } from './check-push.ts';
import { defined, FieldCheck, isGiven } from './fields.ts';

export function checkSendMessage(raw: JsonObject, owner: Owner): SendMessageRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const message = readMessage(check, raw.message, 'message');
  const configuration = readConfiguration(check, raw.configuration, message?.taskId);
  const metadata = check.metadata(raw.metadata, 'metadata');
  return check.accept(message && defined({ message, configuration, metadata, ...readPrecondition(check, metadata) }));
}

export function checkGetTask(raw: JsonObject, owner: Owner): GetTaskRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  const historyLength = check.count(raw.historyLength, 'historyLength');
  const longPoll = readLongPoll(check, check.metadata(raw.metadata, 'metadata'));
  return check.accept(id === undefined ? undefined : defined({ id, historyLength, ...longPoll }));
}

export function checkSubscribeToTask(raw: JsonObject, owner: Owner): SubscribeToTaskRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  return check.accept(id === undefined ? undefined : { id });
}

export function checkCancelTask(raw: JsonObject, owner: Owner): CancelTaskRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  const metadata = check.metadata(raw.metadata, 'metadata');
  return check.accept(id === undefined ? undefined : defined({ id, metadata }));
}

function readConfiguration(
  check: FieldCheck,
  raw: Json | undefined,
  taskId: string | undefined,
): SendMessageRequest['configuration'] {
  if (!isGiven(raw)) return undefined;
  if (!isJsonObject(raw)) return check.refuse('configuration', 'must be an object');
  const modes = check.lines(raw.acceptedOutputModes, 'configuration.acceptedOutputModes', limits.mediaTypeLength);
  const historyLength = check.count(raw.historyLength, 'configuration.historyLength');
  const returnImmediately = check.boolean(raw.returnImmediately, 'configuration.returnImmediately');
  const field = 'configuration.taskPushNotificationConfig';
  const taskPushNotificationConfig = readInlinePushConfig(check, raw.taskPushNotificationConfig, field, taskId);
  return defined({ acceptedOutputModes: modes, historyLength, returnImmediately, taskPushNotificationConfig });
}
