/**
 * Checks what a caller wants to be notified with (A2A 1.0 section 4.3). Whether the address may be posted to is the
 * operation's question. Token and credentials become headers: what no header may hold is refused here.
 */
import type { Owner } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { SIGNING_SCHEME } from '../push/signature.ts';
import type {
  CreatePushConfigRequest,
  ListPushConfigsRequest,
  PushConfigName,
  PushConfigRequest,
} from '../requests.ts';
import { defined, FieldCheck } from './fields.ts';

/** A scheme is an HTTP token (RFC 9110 section 5.6.2). */
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Visible ASCII with blanks between: what every server takes in a header, unchanged. */
const HEADER_VALUE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;
/** Ids stand in paths, where one or two dots mean another place, and in keys of the table. */
const CONFIG_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~:@-]+$/;

/** Throws `INVALID_PARAMS` with one violation for each wrong field, as the others. */
export function checkCreatePushConfig(raw: JsonObject, owner: Owner): CreatePushConfigRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const taskId = check.requiredLine(raw.taskId, 'taskId', limits.idLength);
  const config = readPushConfig(check, raw, '');
  return check.accept(taskId === undefined || config === undefined ? undefined : { taskId, ...config });
}

export function checkPushConfigName(raw: JsonObject, owner: Owner): PushConfigName {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const taskId = check.requiredLine(raw.taskId, 'taskId', limits.idLength);
  const id = check.requiredLine(raw.id, 'id', limits.idLength);
  return check.accept(taskId === undefined || id === undefined ? undefined : { taskId, id });
}

export function checkListPushConfigs(raw: JsonObject, owner: Owner): ListPushConfigsRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  const taskId = check.requiredLine(raw.taskId, 'taskId', limits.idLength);
  const pageSize = check.count(raw.pageSize, 'pageSize');
  const pageToken = check.line(raw.pageToken, 'pageToken', limits.pushConfigIdLength);
  return check.accept(taskId === undefined ? undefined : defined({ taskId, pageSize, pageToken }));
}

/** The config inside a message's configuration, whose `taskId` may only repeat the message's. */
export function readInlinePushConfig(
  check: FieldCheck,
  raw: Json | undefined,
  field: string,
  messageTaskId: string | undefined,
): PushConfigRequest | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!isJsonObject(raw)) return check.refuse(field, 'must be an object');
  const taskId = check.line(raw.taskId, `${field}.taskId`, limits.idLength);
  if (taskId !== undefined && taskId !== messageTaskId)
    check.refuse(`${field}.taskId`, 'is not the task of the message');
  return readPushConfig(check, raw, `${field}.`);
}

function readPushConfig(check: FieldCheck, raw: JsonObject, at: string): PushConfigRequest | undefined {
  const id = check.line(raw.id, `${at}id`, limits.pushConfigIdLength);
  if (id !== undefined && !CONFIG_ID.test(id)) check.refuse(`${at}id`, 'must be of letters, digits and . _ ~ : @ -');
  const url = check.requiredLine(raw.url, `${at}url`, limits.uriLength);
  const token = headerValue(check, raw.token, `${at}token`, limits.pushTokenLength);
  const authentication = readAuthentication(check, raw.authentication, `${at}authentication`);
  return url === undefined ? undefined : defined({ id, url, token, authentication });
}

function readAuthentication(
  check: FieldCheck,
  raw: Json | undefined,
  field: string,
): PushConfigRequest['authentication'] {
  if (raw === undefined || raw === null) return undefined;
  if (!isJsonObject(raw)) return check.refuse(field, 'must be an object');
  const scheme = check.requiredLine(raw.scheme, `${field}.scheme`, limits.idLength);
  if (scheme !== undefined && !SCHEME.test(scheme))
    check.refuse(`${field}.scheme`, 'must be the name of an HTTP scheme');
  const credentials = headerValue(check, raw.credentials, `${field}.credentials`, limits.pushCredentialsLength);
  if (scheme === SIGNING_SCHEME && !credentials) {
    check.refuse(`${field}.credentials`, `is required with ${SIGNING_SCHEME}: it is the key`);
  }
  return scheme === undefined ? undefined : defined({ scheme, credentials });
}

function headerValue(check: FieldCheck, raw: Json | undefined, field: string, max: number): string | undefined {
  const value = check.line(raw, field, max);
  if (value === undefined || HEADER_VALUE.test(value)) return value;
  return check.refuse(field, 'must be of visible ASCII characters, as a header is');
}
