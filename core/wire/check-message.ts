/** Checks a caller's message (A2A 1.0 sections 4.1.4 and 4.1.6) and copies its known fields; unknown ones are dropped. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message, Part } from '../message.ts';
import { defined, type FieldCheck } from './fields.ts';

/** Callers of 0.3 who send the header of 1.0 should see what they mixed up. */
const OF_OLD_VERSION = 'is A2A 0.3, and this request names version 1.0';

export function readMessage(check: FieldCheck, raw: Json | undefined, field: string): Message | undefined {
  if (raw === undefined || raw === null) return check.refuse(field, 'is required');
  if (!isJsonObject(raw)) return check.refuse(field, 'must be an object');
  const messageId = check.requiredLine(raw.messageId, `${field}.messageId`, limits.idLength);
  const contextId = check.line(raw.contextId, `${field}.contextId`, limits.idLength);
  const taskId = check.line(raw.taskId, `${field}.taskId`, limits.idLength);
  const role = readRole(check, raw.role, `${field}.role`);
  const parts = readParts(check, raw.parts, `${field}.parts`);
  const metadata = check.metadata(raw.metadata, `${field}.metadata`);
  const extensions = check.lines(raw.extensions, `${field}.extensions`, limits.uriLength);
  const referenceTaskIds = check.lines(raw.referenceTaskIds, `${field}.referenceTaskIds`, limits.idLength);
  if (messageId === undefined || role === undefined || parts === undefined) return undefined;
  return defined({ messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds });
}

function readRole(check: FieldCheck, raw: Json | undefined, field: string): 'ROLE_USER' | undefined {
  if (raw === 'ROLE_USER') return raw;
  if (raw === undefined || raw === null) return check.refuse(field, 'is required');
  return check.refuse(field, raw === 'user' ? `must be ROLE_USER; "user" ${OF_OLD_VERSION}` : 'must be ROLE_USER');
}

function readParts(check: FieldCheck, raw: Json | undefined, field: string): readonly Part[] | undefined {
  if (raw === undefined || raw === null) return check.refuse(field, 'is required');
  if (!Array.isArray(raw)) return check.refuse(field, 'must be a list');
  if (raw.length === 0) return check.refuse(field, 'must have at least one part');
  if (raw.length > limits.partsPerMessage) {
    return check.refuse(field, `must not have more than ${limits.partsPerMessage} parts`);
  }
  const parts = raw.map((part: Json, index) => readPart(check, part, `${field}[${index}]`));
  return parts.filter((part) => part !== undefined);
}

function readPart(check: FieldCheck, raw: Json, field: string): Part | undefined {
  if (!isJsonObject(raw)) return check.refuse(field, 'must be an object');
  const content = readContent(check, raw, field);
  const metadata = check.metadata(raw.metadata, `${field}.metadata`);
  const filename = check.line(raw.filename, `${field}.filename`, limits.uriLength);
  const mediaType = check.line(raw.mediaType, `${field}.mediaType`, limits.mediaTypeLength);
  return content === undefined ? undefined : { ...content, ...defined({ metadata, filename, mediaType }) };
}

/** Exactly one of text, raw, url and data. For `data` null is a value, for the others it is absence (ProtoJSON). */
function readContent(check: FieldCheck, raw: JsonObject, field: string): Part | undefined {
  const kinds = (['text', 'raw', 'url'] as const).filter((kind) => raw[kind] !== undefined && raw[kind] !== null);
  const all = raw.data === undefined ? kinds : ([...kinds, 'data'] as const);
  if (all.length > 1) return check.refuse(field, `must have one of text, raw, url and data, not ${all.join(' and ')}`);
  const kind = all[0];
  if (kind === undefined) {
    const hint = typeof raw.kind === 'string' ? `; "kind" ${OF_OLD_VERSION}` : '';
    return check.refuse(field, `must have one of text, raw, url and data${hint}`);
  }
  if (kind === 'raw') return readRaw(check, raw.raw, `${field}.raw`);
  if (kind === 'data') {
    const data = check.json(raw.data as Json, `${field}.data`);
    return data === undefined ? undefined : { data };
  }
  const content =
    kind === 'text'
      ? check.content(raw.text, `${field}.text`)
      : check.requiredLine(raw.url, `${field}.url`, limits.uriLength);
  return content === undefined ? undefined : { [kind]: content };
}

/** ProtoJSON takes both base64 alphabets, with or without padding; what is kept is the standard form. */
function readRaw(check: FieldCheck, raw: Json | undefined, field: string): Part | undefined {
  if (typeof raw !== 'string') return check.refuse(field, 'must be a base64 string');
  const [, digits, padding] = /^([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/.exec(raw) ?? [];
  const missing = digits === undefined ? 1 : (4 - (digits.length % 4)) % 4;
  if (digits === undefined || missing === 3 || (padding !== '' && padding?.length !== missing)) {
    return check.refuse(field, 'must be valid base64');
  }
  return { raw: digits.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(missing) };
}
