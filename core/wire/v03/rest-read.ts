/**
 * Requests in the form of A2A 0.3's HTTP+JSON, as the raw request of 1.0 that means the same. An empty value
 * is none, as protobuf's JSON has it.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { defined, FieldCheck, isGiven } from '../fields.ts';
import { readData, readPushConfig } from './rpc-read.ts';

/** `message:send` and `message:stream`. Throws `INVALID_PARAMS`. */
export function readSend(raw: JsonObject): JsonObject {
  const check = new FieldCheck();
  const given = raw.message ?? raw.request;
  const message = isJsonObject(given) ? readMessage(check, given) : given;
  const configuration = readConfiguration(check, raw.configuration);
  return check.accept<JsonObject>(defined({ message, configuration, metadata: raw.metadata }));
}

function readMessage(check: FieldCheck, raw: JsonObject): JsonObject {
  const { content, metadata, extensions } = raw;
  const parts = Array.isArray(content)
    ? content.map((part: Json, index) => readPart(check, part, `message.content[${index}]`))
    : content;
  const { messageId, contextId, taskId, role } = raw;
  if (isGiven(role) && role !== 'ROLE_USER') check.refuse('message.role', 'must be ROLE_USER');
  return defined({ messageId, contextId, taskId, role, parts, metadata, extensions });
}

function readPart(check: FieldCheck, raw: Json, where: string): Json {
  if (!isJsonObject(raw)) return raw;
  const { text, file, data, metadata } = raw;
  const kinds = (['text', 'file', 'data'] as const).filter((kind) => isGiven(raw[kind]));
  if (kinds.length !== 1) {
    check.refuse(
      where,
      `must have one of text, file and data${kinds.length > 1 ? `, not ${kinds.join(' and ')}` : ''}`,
    );
    return null;
  }
  if (isGiven(text)) return defined({ text, metadata });
  if (isGiven(file)) return { ...readFile(check, file, `${where}.file`), ...defined({ metadata }) };
  if (isJsonObject(data)) return readData(check, defined({ data: data.data, metadata }), `${where}.data.data`);
  check.refuse(`${where}.data`, 'must be an object');
  return null;
}

function readFile(check: FieldCheck, raw: Json | undefined, where: string): JsonObject {
  if (!isJsonObject(raw)) {
    check.refuse(where, 'must be an object');
    return {};
  }
  const bytes = filled(raw.fileWithBytes);
  const url = filled(raw.fileWithUri);
  if ((bytes === undefined) === (url === undefined)) {
    check.refuse(where, 'must have one of fileWithBytes and fileWithUri');
  }
  return defined({ raw: bytes, url, mediaType: raw.mimeType, filename: raw.name });
}

/** As in JSON-RPC: what does not ask to wait does not wait. */
function readConfiguration(check: FieldCheck, raw: Json | undefined): Json | undefined {
  if (!isJsonObject(raw)) return raw;
  const push = raw.pushNotification;
  return defined({
    acceptedOutputModes: raw.acceptedOutputModes,
    historyLength: raw.historyLength,
    returnImmediately: !(check.boolean(raw.blocking, 'configuration.blocking') ?? false),
    taskPushNotificationConfig: isJsonObject(push)
      ? readPushConfig(check, push, 'configuration.pushNotification')
      : push,
  });
}

/** The task of the path, and `historyLength` of the query in either spelling. */
export function readTaskId(raw: JsonObject): JsonObject {
  return defined({ id: raw.id, historyLength: raw.historyLength ?? raw.history_length, metadata: raw.metadata });
}

/** The task is the path's; the body is a config, alone or under `config`. Throws `INVALID_PARAMS`. */
export function readSetConfig(raw: JsonObject): JsonObject {
  const check = new FieldCheck();
  const config = isJsonObject(raw.config) ? raw.config : raw;
  const push = config.pushNotificationConfig;
  if (!isJsonObject(push)) {
    check.refuse('pushNotificationConfig', isGiven(push) ? 'must be an object' : 'is required');
    return check.accept<JsonObject>(undefined);
  }
  return check.accept<JsonObject>(
    defined({ taskId: raw.taskId, ...readPushConfig(check, push, 'pushNotificationConfig') }),
  );
}

function filled(value: Json | undefined): Json | undefined {
  return value === '' ? undefined : value;
}
