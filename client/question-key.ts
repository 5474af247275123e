/** Which question a status asks: what tells it from every other of its task. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Message, Part, TaskStatus } from '../core/message.ts';

/** The first data part that claims to be a question, whatever else stands in it. */
export function questionPart(message: Message | undefined): JsonObject | undefined {
  const parts = (message?.parts ?? []).filter(isJsonObject) as readonly Part[];
  const data = parts
    .map((part) => part.data)
    .find((value) => isJsonObject(value) && Object.hasOwn(value, 'questionId'));
  return isJsonObject(data) ? data : undefined;
}

/** Its questionId; without one the id of the status message; without that, what it says and when. */
export function questionKey(status: TaskStatus): string {
  const { message, timestamp } = status;
  const id = shortId(questionPart(message)?.questionId) ?? shortId(message?.messageId);
  if (id !== undefined) return id;
  const said = spelled([timestamp, message?.parts ?? []]) ?? `${timestamp} ${message?.parts.length}`;
  return `status-${createHash('sha256').update(said).digest('base64url').slice(0, 24)}`;
}

/** Undefined for what is nested so deeply that it cannot be written. */
function spelled(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Undefined for anything but a string of 1 to 128 characters. */
export function shortId(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= limits.idLength ? value : undefined;
}
