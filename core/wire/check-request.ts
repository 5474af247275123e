/**
 * Checks raw requests before an operation sees them (A2A 1.0 section 5.7): required fields, exact types and enums, sizes.
 * By hand, because the api must not pay for compiling schemas before its first answer.
 * All throw `INVALID_PARAMS` with one violation for each wrong field.
 */
import { ProtocolError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { CancelTaskRequest, GetTaskRequest, SendMessageRequest } from '../requests.ts';
import { readMessage } from './check-message.ts';
import { defined, FieldCheck } from './fields.ts';

/** Throws `PUSH_NOTIFICATION_NOT_SUPPORTED` as well, for a request that is otherwise right. */
export function checkSendMessage(raw: JsonObject, owner: Owner): SendMessageRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const message = readMessage(check, raw.message, 'message');
  const configuration = readConfiguration(check, raw.configuration);
  const metadata = check.metadata(raw.metadata, 'metadata');
  const request = check.accept(message && defined({ message, configuration, metadata }));
  if (isJsonObject(raw.configuration) && isGiven(raw.configuration.taskPushNotificationConfig)) {
    throw new ProtocolError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent does not send push notifications');
  }
  return request;
}

export function checkGetTask(raw: JsonObject, owner: Owner): GetTaskRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  const historyLength = check.count(raw.historyLength, 'historyLength');
  return check.accept(id === undefined ? undefined : defined({ id, historyLength }));
}

export function checkCancelTask(raw: JsonObject, owner: Owner): CancelTaskRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  const metadata = check.metadata(raw.metadata, 'metadata');
  return check.accept(id === undefined ? undefined : defined({ id, metadata }));
}

function readConfiguration(check: FieldCheck, raw: Json | undefined): SendMessageRequest['configuration'] {
  if (!isGiven(raw)) return undefined;
  if (!isJsonObject(raw)) return check.refuse('configuration', 'must be an object');
  const modes = check.lines(raw.acceptedOutputModes, 'configuration.acceptedOutputModes', limits.mediaTypeLength);
  const historyLength = check.count(raw.historyLength, 'configuration.historyLength');
  const returnImmediately = check.boolean(raw.returnImmediately, 'configuration.returnImmediately');
  return defined({ acceptedOutputModes: modes, historyLength, returnImmediately });
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}
