/**
 * Requests in the form of A2A 0.3's JSON-RPC, as the raw request of 1.0 that means the same. Here only what differs
 * between the two is checked; 1.0's own checks judge the rest. Unknown fields go, as everywhere.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { defined, FieldCheck, isGiven } from '../fields.ts';
import { WRAPPED_DATA } from './rpc-write.ts';

/** `message/send` and `message/stream`. Throws `INVALID_PARAMS`. */
export function readSend(raw: JsonObject): JsonObject {
  const check = new FieldCheck();
  const message = isJsonObject(raw.message) ? readMessage(check, raw.message) : raw.message;
  const configuration = readConfiguration(check, raw.configuration);
  return check.accept<JsonObject>(defined({ message, configuration, metadata: raw.metadata }));
}

function readMessage(check: FieldCheck, raw: JsonObject): JsonObject {
  const { messageId, contextId, taskId, metadata, extensions, referenceTaskIds } = raw;
  if (isGiven(raw.kind) && raw.kind !== 'message') check.refuse('message.kind', 'must be message');
  const role = readRole(check, raw.role);
  const parts = Array.isArray(raw.parts)
    ? raw.parts.map((part: Json, index) => readPart(check, part, `message.parts[${index}]`))
    : raw.parts;
  return defined({ messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds });
}

function readRole(check: FieldCheck, raw: Json | undefined): Json {
  if (raw === 'user') return 'ROLE_USER';
  check.refuse('message.role', isGiven(raw) ? 'must be user' : 'is required');
  return null;
}

function readPart(check: FieldCheck, raw: Json, field: string): Json {
  if (!isJsonObject(raw)) return raw;
  const { kind, metadata } = raw;
  if (kind === 'text') {
    if (!isGiven(raw.text)) check.refuse(`${field}.text`, 'is required');
    return defined({ text: raw.text, metadata });
  }
  if (kind === 'file') return { ...readFile(check, raw.file, `${field}.file`), ...defined({ metadata }) };
  if (kind === 'data') return readData(check, raw, `${field}.data`);
  check.refuse(`${field}.kind`, isGiven(kind) ? 'must be text, file or data' : 'is required');
  return null;
}

function readFile(check: FieldCheck, raw: Json | undefined, field: string): JsonObject {
  if (!isJsonObject(raw)) {
    check.refuse(field, isGiven(raw) ? 'must be an object' : 'is required');
    return {};
  }
  if (isGiven(raw.bytes) === isGiven(raw.uri)) check.refuse(field, 'must have one of bytes and uri');
  return defined({
    raw: raw.bytes ?? undefined,
    url: raw.uri ?? undefined,
    mediaType: raw.mimeType,
    filename: raw.name,
  });
}

export function readData(check: FieldCheck, { data, metadata }: JsonObject, field: string): JsonObject {
  if (!isJsonObject(data)) {
    check.refuse(field, isGiven(data) ? 'must be an object' : 'is required');
    return {};
  }
  if (!isJsonObject(metadata) || metadata[WRAPPED_DATA] !== true || data.value === undefined) {
    return defined({ data, metadata });
  }
  const { [WRAPPED_DATA]: _flag, ...others } = metadata;
  return defined({ data: data.value, metadata: Object.keys(others).length === 0 ? undefined : others });
}

/** In 0.3 a configuration that does not ask to wait means not to wait; none at all leaves it to the agent, which waits. */
function readConfiguration(check: FieldCheck, raw: Json | undefined): Json | undefined {
  if (!isJsonObject(raw)) return raw;
  const { acceptedOutputModes, historyLength, blocking, pushNotificationConfig } = raw;
  return defined({
    acceptedOutputModes,
    historyLength,
    returnImmediately: !(check.boolean(blocking, 'configuration.blocking') ?? false),
    taskPushNotificationConfig: isJsonObject(pushNotificationConfig)
      ? readPushConfig(check, pushNotificationConfig, 'configuration.pushNotificationConfig')
      : pushNotificationConfig,
  });
}

/** What a config without an id is called: servers of 0.3 keep one such config a task, and a later one replaces it. */
export const DEFAULT_CONFIG_ID = 'default';

/** 0.3 lists schemes that the receiver takes; one is used, so the first is. */
export function readPushConfig(check: FieldCheck, raw: JsonObject, field: string): JsonObject {
  const { url, token, authentication } = raw;
  const id = isGiven(raw.id) && raw.id !== '' ? raw.id : DEFAULT_CONFIG_ID;
  if (!isJsonObject(authentication)) return defined({ id, url, token, authentication });
  const [scheme] = check.lines(authentication.schemes, `${field}.authentication.schemes`, 128) ?? [];
  const { credentials } = authentication;
  if (scheme === undefined && isGiven(credentials) && credentials !== '') {
    check.refuse(`${field}.authentication.schemes`, 'is required with credentials');
  }
  return defined({
    id,
    url,
    token,
    authentication: scheme === undefined ? undefined : defined({ scheme, credentials }),
  });
}

/** `tasks/get`, `tasks/cancel` and `tasks/resubscribe`. */
export function readTaskId({ id, historyLength, metadata }: JsonObject): JsonObject {
  return defined({ id, historyLength, metadata });
}

/** `tasks/pushNotificationConfig/set`. Throws `INVALID_PARAMS`. */
export function readSetConfig({ taskId, pushNotificationConfig: raw }: JsonObject): JsonObject {
  const check = new FieldCheck();
  if (!isJsonObject(raw)) {
    check.refuse('pushNotificationConfig', isGiven(raw) ? 'must be an object' : 'is required');
    return check.accept<JsonObject>(undefined);
  }
  return check.accept<JsonObject>(defined({ taskId, ...readPushConfig(check, raw, 'pushNotificationConfig') }));
}

/** Get, list and delete name the task by `id`. */
export function readConfigId({ id, pushNotificationConfigId }: JsonObject): JsonObject {
  return defined({ taskId: id, id: pushNotificationConfigId });
}
