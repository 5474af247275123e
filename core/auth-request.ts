/**
 * A request for an authorisation, as the question is for an answer: what an author asks for, and the status message of
 * a task that is auth-required (docs/question-extension.md). The credential itself never passes here.
 */
import { AgentFault } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import { isJsonObject } from './json.ts';
import { limits } from './limits.ts';
import type { Message } from './message.ts';
import { QUESTION_EXTENSION_URI } from './question/extension.ts';
import { cutToBytes } from './question/interpret-answer.ts';
import { boundErrors } from './question/json-bounds.ts';
import type { Kept } from './task.ts';

/** What expiry means: the task fails (default) or is canceled, or the code goes on and is told. */
export type OnAuthExpire = 'fail' | 'cancel' | 'resume';

/** The authorisation that the task waits for. What is needed stands in the status message. */
export interface OpenAuth {
  readonly call: number;
  readonly name: string;
  /** Ordinal among the task's asks: names its timer. */
  readonly ask: number;
  readonly authId: string;
  readonly expiresAtMs: number;
  readonly onExpire: OnAuthExpire;
}

/** What became of an authorisation, as a recorded call. */
export interface AuthRecord {
  readonly kind: 'auth';
  readonly call: number;
  readonly name: string;
  readonly ask: number;
  readonly authId: string;
  readonly outcome: 'granted' | 'declined' | 'expired';
  readonly declineReason?: string;
  /** Names the SECRET item with the credential; until it is certain that the item has been deleted. */
  readonly secret?: string;
  /** What the code made of the credential: final. Present once it has been used. */
  readonly result?:
    | { readonly ok: Kept<Json> }
    | { readonly error: { readonly name: string; readonly message: string } };
}

/** What the code asked for with `turn.requireAuth`, in JSON. */
export interface AuthSpec {
  readonly name: string;
  /** For a person, complete on its own. */
  readonly text: string;
  /** What is needed, for a program: provider, scopes, an address to begin at. */
  readonly request?: Json;
  /** Default and bounds as for questions (limits.ts). */
  readonly expiresInMs?: number;
  /** Never later than this, in milliseconds since the epoch. */
  readonly expiresByMs?: number;
  readonly onExpire?: OnAuthExpire;
}

/** What an author says for programs, and what is taken of what another agent says. */
export const AUTH_REQUEST_BOUNDS = {
  bytes: limits.authRequestBytes,
  depth: limits.answerDepth,
  arrayItems: limits.answerArrayItems,
} as const;

/** The data part of a status message that requires an authorisation. */
export interface AuthData {
  readonly authId: string;
  /** RFC 3339 UTC. */
  readonly expires: string;
  /** Where the credential is posted to, once. */
  readonly callbackUrl: string;
  readonly request?: Json;
}

export interface AuthPlace {
  readonly taskId: string;
  readonly contextId: string;
  readonly call: number;
  /** Ordinal among the task's asks, from 1: names the timer. */
  readonly ask: number;
  readonly nowMs: number;
  readonly callbackUrl: string;
}

/** `a-<16 characters of the task id>-<n>`; also the messageId of the status message. */
export function authIdOf(taskId: string, ask: number): string {
  return `a-${taskId.slice(0, 16)}-${ask}`;
}

/** @throws AgentFault BAD_QUESTION naming what is wrong */
export function openAuth(spec: AuthSpec, place: AuthPlace): { readonly auth: OpenAuth; readonly message: Message } {
  const problem = problemOf(spec);
  if (problem !== undefined) throw new AgentFault('BAD_QUESTION', `requireAuth "${spec.name}": ${problem}`);
  const { nowMs } = place;
  // Where the bound has passed meanwhile it is opened overdue, and expires at the first look.
  const expiresAtMs = Math.min(
    nowMs + (spec.expiresInMs ?? limits.questionExpiryDefaultMs),
    spec.expiresByMs ?? Number.POSITIVE_INFINITY,
  );
  const authId = authIdOf(place.taskId, place.ask);
  const data: AuthData = {
    authId,
    expires: new Date(expiresAtMs).toISOString(),
    callbackUrl: place.callbackUrl,
    ...(spec.request === undefined ? {} : { request: spec.request }),
  };
  return {
    auth: {
      call: place.call,
      name: spec.name,
      ask: place.ask,
      authId,
      expiresAtMs,
      onExpire: spec.onExpire ?? 'fail',
    },
    message: {
      messageId: authId,
      taskId: place.taskId,
      contextId: place.contextId,
      role: 'ROLE_AGENT',
      parts: [{ text: spec.text }, { data: data as unknown as JsonObject, mediaType: 'application/json' }],
      extensions: [QUESTION_EXTENSION_URI],
    },
  };
}

function problemOf({ text, request, expiresInMs }: AuthSpec): string | undefined {
  const { questionExpiryMinMs: least, questionExpiryMaxMs: most } = limits;
  if (typeof text !== 'string' || text.trim() === '') return 'text must say what is needed and why';
  if (Buffer.byteLength(text) > limits.questionTextBytes) return `text has at most ${limits.questionTextBytes} bytes`;
  if (request !== undefined) {
    const [wrong] = boundErrors(request, AUTH_REQUEST_BOUNDS);
    if (wrong) return `request${wrong.pointer}: ${wrong.message}`;
  }
  if (expiresInMs === undefined || (expiresInMs >= least && expiresInMs <= most)) return undefined;
  return `expiresIn must be from ${least / 1_000} seconds to ${most / 86_400_000} days`;
}

/** What a message says about an authorisation of this task: names it, and perhaps declines it. */
export interface AuthMention {
  readonly authId: string;
  readonly declined?: { readonly reason?: string };
}

/** The mention in a message's data parts; undefined when it names no authorisation of this task. */
export function authMention(taskId: string, message: Message): AuthMention | undefined {
  const prefix = `a-${taskId.slice(0, 16)}-`;
  for (const { data } of message.parts) {
    // A question's answer may have a property of that name.
    if (!isJsonObject(data) || data.questionId !== undefined) continue;
    const { authId, decline } = data;
    if (typeof authId !== 'string' || authId.length > limits.idLength || !authId.startsWith(prefix)) continue;
    return isJsonObject(decline) ? { authId, declined: reasonOf(decline) } : { authId };
  }
  return undefined;
}

/** As the code sees it; the history keeps no more of it. */
function reasonOf({ reason }: JsonObject): { readonly reason?: string } {
  if (typeof reason !== 'string' || reason === '') return {};
  return { reason: cutToBytes(reason, limits.declineReasonBytes) };
}

/** A decline without whatever else came with it: what is pasted beside it may be a credential. */
export function onlyDecline(message: Message, { authId, declined }: AuthMention): Message {
  const { messageId, role, taskId, contextId } = message;
  return {
    messageId,
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    role,
    parts: [{ data: { authId, decline: { ...declined } }, mediaType: 'application/json' }],
  };
}
