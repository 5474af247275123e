/**
 * Reads what a task in auth-required wants, for a person and for a program (docs/question-extension.md). The credential
 * itself never passes through this client: who has it posts it to the address that the agent gives.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Part, TaskStatus } from '../core/message.ts';
import { boundErrors } from '../core/question/json-bounds.ts';
import { wordsOf } from './outcome.ts';
import { shortId } from './question-key.ts';

export interface AuthNeeds {
  /** For people, cleaned; may be empty. */
  readonly text: string;
  /** Absent from agents that do not follow the question extension. */
  readonly authId?: string;
  /**
   * Where the credential is posted to, once. Whoever has it may use it: keep it as a password is kept. Only on the
   * agent's own origin; a stranger's page could name any other.
   */
  readonly callbackUrl?: string;
  /** What is needed, for a program: provider, scopes, an address to begin at. As the agent has it, at most 4 KB. */
  readonly request?: Json;
  readonly expiresAtMs?: number;
}

/** Never throws for anything an agent sends. */
export function readAuthNeeds({ message }: TaskStatus, agentUrl: string): AuthNeeds {
  const text = wordsOf(message);
  const data = authPart((message?.parts ?? []).filter(isJsonObject) as readonly Part[]);
  if (!data) return { text };
  const authId = shortId(data.authId);
  const callbackUrl = ownAddress(data.callbackUrl, agentUrl);
  const expiresAtMs = typeof data.expires === 'string' ? Date.parse(data.expires) : Number.NaN;
  return {
    text,
    ...(authId === undefined ? {} : { authId }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(data.request !== undefined && isSmall(data.request) ? { request: data.request } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  };
}

function authPart(parts: readonly Part[]): JsonObject | undefined {
  const data = parts.map((part) => part.data).find((value) => isJsonObject(value) && Object.hasOwn(value, 'authId'));
  return isJsonObject(data) ? data : undefined;
}

const ADDRESS_CHARS = 2_000;

function ownAddress(address: Json | undefined, agentUrl: string): string | undefined {
  if (typeof address !== 'string' || address.length > ADDRESS_CHARS) return undefined;
  if (!URL.canParse(address) || !URL.canParse(agentUrl)) return undefined;
  const url = new URL(address);
  const plain = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return plain && url.origin === new URL(agentUrl).origin ? url.href : undefined;
}

function isSmall(request: Json): boolean {
  const bounds = { bytes: limits.authRequestBytes, depth: limits.answerDepth, arrayItems: limits.answerArrayItems };
  return boundErrors(request, bounds).length === 0;
}
