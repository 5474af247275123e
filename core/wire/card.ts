/**
 * The agent card (A2A 1.0 section 8): what the author says about the agent, completed with addresses, capabilities and
 * extensions, and served with validators so that clients need not read it again (section 8.6).
 */
import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import type { AgentCardSpec, AgentSkillSpec } from '../ports.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import { methodNotAllowed } from './http-json.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { PROTOCOL_VERSION } from './version.ts';

export const AGENT_CARD_PATH = '/.well-known/agent-card.json';

export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: 'JSONRPC' | 'HTTP+JSON';
  readonly protocolVersion: string;
}

export interface AgentExtension {
  readonly uri: string;
  readonly description: string;
  readonly required: boolean;
  readonly params: { readonly [name: string]: number };
}

/** A2A 1.0 section 4.4.1, in its JSON form. */
export interface AgentCard {
  readonly name: string;
  readonly description: string;
  readonly supportedInterfaces: readonly AgentInterface[];
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: {
    readonly streaming: boolean;
    readonly pushNotifications: boolean;
    readonly extendedAgentCard: boolean;
    readonly extensions: readonly AgentExtension[];
  };
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly AgentSkillSpec[];
  readonly iconUrl?: string;
}

/** What a caller may want to know of the question convention before it meets a question. */
const QUESTION_EXTENSION: AgentExtension = {
  uri: QUESTION_EXTENSION_URI,
  description:
    'A task in TASK_STATE_INPUT_REQUIRED carries its question as a data part with a JSON Schema for the answer, options, ' +
    'an id and an expiry; answers are data parts that name the question.',
  required: false,
  params: {
    expiresInDefaultSeconds: limits.questionExpiryDefaultMs / 1_000,
    expiresInMaxSeconds: limits.questionExpiryMaxMs / 1_000,
    attemptsDefault: limits.questionAttemptsDefault,
    answerMaxBytes: limits.answerBytes,
    answerMaxDepth: limits.answerDepth,
  },
};

const DEFAULT_MODES = ['text/plain', 'application/json'];

/** `baseUrl` is the same for both bindings: JSON-RPC answers at it, HTTP+JSON below it. */
export function agentCard(spec: AgentCardSpec, baseUrl: string): AgentCard {
  const { name, description, version, skills, provider, documentationUrl, iconUrl } = spec;
  return {
    name,
    description,
    supportedInterfaces: [
      { url: baseUrl, protocolBinding: 'JSONRPC', protocolVersion: PROTOCOL_VERSION },
      { url: baseUrl, protocolBinding: 'HTTP+JSON', protocolVersion: PROTOCOL_VERSION },
    ],
    ...(provider ? { provider } : {}),
    version,
    ...(documentationUrl ? { documentationUrl } : {}),
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [QUESTION_EXTENSION],
    },
    defaultInputModes: spec.defaultInputModes ?? DEFAULT_MODES,
    defaultOutputModes: spec.defaultOutputModes ?? DEFAULT_MODES,
    skills,
    ...(iconUrl ? { iconUrl } : {}),
  };
}

/** Public: the card needs neither a version nor a caller that is known. */
export function handleCard(request: HttpRequest, spec: AgentCardSpec): HttpResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(['GET', 'HEAD']);
  const body = JSON.stringify(agentCard(spec, request.baseUrl));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const validators = { etag, 'cache-control': `public, max-age=${limits.agentCardMaxAgeSeconds}` };
  if (isCurrent(request.headers['if-none-match'], etag)) return { status: 304, headers: validators, body: '' };
  const headers = { ...validators, 'content-type': 'application/json' };
  return { status: 200, headers, body: request.method === 'HEAD' ? '' : body };
}

/** Weak comparison, as If-None-Match asks for (RFC 9110 section 13.1.2). */
function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => {
    const tag = given.trim().replace(/^W\//, '');
    return tag === '*' || tag === etag;
  });
}
