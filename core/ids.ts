/** Ids and digests: all derived, nothing random, so that a repeat finds what the first attempt made. */
import { hash } from 'node:crypto';
import { canonicalJson } from './json.ts';
import type { Message } from './message.ts';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Who a task belongs to: the boundary nothing crosses. From verified claims only. */
export interface Owner {
  readonly tenant: string;
  readonly principal: string;
}

/** One string for one owner; the length prefix keeps ("a", "b:c") and ("a:b", "c") apart. */
export function ownerKey(owner: Owner): string {
  return `${owner.tenant.length}:${owner.tenant}:${owner.principal}`;
}

/** The inverse of `ownerKey`. */
export function parseOwnerKey(key: string): Owner {
  const colon = key.indexOf(':');
  const length = Number(key.slice(0, colon));
  const tenant = key.slice(colon + 1, colon + 1 + length);
  return { tenant, principal: key.slice(colon + 2 + length) };
}

/** The lengths keep ("a", "bc") and ("ab", "c") apart. */
function joined(fields: readonly string[]): string {
  return fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join('');
}

function sha256(...fields: readonly string[]): Buffer {
  return hash('sha256', joined(fields), 'buffer');
}

/** The first characters of a digest in base64url, 6 bits each. */
function digestText(text: string, characters: number): string {
  return hash('sha256', joined([text]), 'base64url').slice(0, characters);
}

function base32(bytes: Buffer, length: number): string {
  let bits = 0;
  let held = 0;
  const out: number[] = [];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5 && out.length < length) {
      out.push(BASE32.charCodeAt((held >> (bits - 5)) & 31));
      bits -= 5;
    }
  }
  return String.fromCharCode(...out);
}

/**
 * The id of the task that a first message creates: 130 bits, 26 characters. The same message of the same owner to the
 * same agent always gives the same id, which is what makes creation and de-duplication one conditional put.
 */
export function deriveTaskId(agent: string, owner: string, messageId: string): string {
  return base32(sha256('askback-task-1', agent, owner, messageId), 26);
}

/** The context of a task whose first message named none: as unguessable as the task's id, and seen to be the task's. */
export function deriveContextId(taskId: string): string {
  return `ctx-${taskId}`;
}

/** The task that a context was made for; undefined: somebody named it. Whether there is such a task is another question. */
export function taskOfContext(contextId: string): string | undefined {
  const taskId = contextId.slice('ctx-'.length);
  return contextId.startsWith('ctx-') && /^[a-z2-7]{26}$/.test(taskId) ? taskId : undefined;
}

/** `q-<16 characters of the task id>-<n>`; also the messageId of the status message that asks. */
export function questionIdOf(taskId: string, question: number): string {
  return `q-${taskId.slice(0, 16)}-${question}`;
}

/** The n of a question id of this task, or undefined for any other string. */
export function questionNumber(taskId: string, questionId: string): number | undefined {
  const prefix = `q-${taskId.slice(0, 16)}-`;
  if (!questionId.startsWith(prefix)) return undefined;
  const digits = questionId.slice(prefix.length);
  return /^[1-9][0-9]{0,5}$/.test(digits) ? Number(digits) : undefined;
}

/** 96 bits in base64url. */
export function shortHash(text: string): string {
  return digestText(text, 16);
}

/** Characters of a message id's hash: 72 bits, enough to tell apart the messages of one task, a thousand at most. */
export const MESSAGE_ID_HASH_LENGTH = 12;

/** In base64url, and so small that the head keeps many. */
export function messageIdHash(messageId: string): string {
  return digestText(messageId, MESSAGE_ID_HASH_LENGTH);
}

/** Names a blob: SHA-256 of its JSON, 192 bits, base64url. */
export function blobHash(json: string): string {
  return digestText(json, 32);
}

/**
 * What makes two messages of one id the same message: content and address, not the call's configuration; 48 bits. With
 * `hidden` the content stays out, because a digest of a weak secret can be guessed back.
 */
export function messageDigest(message: Message, hidden = false): string {
  const { parts, role, contextId, taskId } = message;
  return digestText(canonicalJson(hidden ? { role, contextId, taskId } : { parts, role, contextId, taskId }), 8);
}

/** At most 64 characters of Scheduler's alphabet. */
export function timerName(taskId: string, ask: number, timer: string): string {
  return `${taskId}-${ask}-${timer}`;
}

/** A stable key for a step's outside effects: the same for every attempt, different for every task and call. */
export function idempotencyKey(taskId: string, call: number): string {
  return `${taskId}-${call}`;
}

/** The same for what is reserved: a hold that is taken again has another one. */
export function holdKey(taskId: string, hold: number): string {
  return `${taskId}-hold-${hold}`;
}

/** Turns an unguessable string into a number in [0, 1). */
export function fractionOf(unique: string): number {
  return sha256(unique).readUIntBE(0, 6) / 2 ** 48;
}
