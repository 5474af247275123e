/**
 * The agent card (A2A 1.0 section 8): what the author says about the agent, completed with addresses, capabilities,
 * extensions and security, signed where there is a key, and served with validators so that clients need not read it
 * again (section 8.6). Readers that name no version may speak 0.3: for them v03/card.ts adds what 0.3 wants to see.
 */
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { AgentCardSpec, AgentExtensionSpec, AgentSkillSpec, ProtocolVersion } from '../agent.ts';
import { type CardSignature, type CardSigner, signatureOf } from './card-signature.ts';
import { extensionsOf } from './extensions.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { methodNotAllowed } from './http-error.ts';
import { OLD_PROTOCOL_VERSION, PROTOCOL_VERSIONS, requireVersion } from './version.ts';

export const AGENT_CARD_PATH = '/.well-known/agent-card.json';

export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: 'JSONRPC' | 'HTTP+JSON';
  readonly protocolVersion: ProtocolVersion;
}

/** How callers authenticate (A2A 1.0 section 4.5), in the card's own JSON form. */
export interface CardSecurity {
  /** By name, as in `{ jwt: { openIdConnectSecurityScheme: { openIdConnectUrl: ... } } }`. */
  readonly schemes: { readonly [name: string]: JsonObject };
  /** Any one of these, as in `[{ schemes: { jwt: { list: [] } } }]`. */
  readonly requirements: readonly SecurityRequirement[];
}

export interface SecurityRequirement {
  readonly schemes: { readonly [name: string]: { readonly list?: readonly string[] } };
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
    readonly extensions: readonly AgentExtensionSpec[];
  };
  readonly securitySchemes?: CardSecurity['schemes'];
  readonly securityRequirements?: CardSecurity['requirements'];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly AgentSkillSpec[];
  readonly iconUrl?: string;
  readonly signatures?: readonly CardSignature[];
}

/** What is not the author's to say: it follows from where and how the agent runs. */
export interface CardFacts {
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly extendedAgentCard: boolean;
  readonly versions: readonly ProtocolVersion[];
  readonly security?: CardSecurity;
  readonly signer?: CardSigner;
}

export const DEFAULT_MODES: readonly string[] = ['text/plain', 'application/json'];

/**
 * `baseUrl` is the same for both bindings and both versions: JSON-RPC answers at it, HTTP+JSON below it. Nothing here has
 * a default value that ProtoJSON would leave out, so the card as it is read back is the card that was signed.
 */
export function agentCard(spec: AgentCardSpec, baseUrl: string, facts: CardFacts): AgentCard {
  const { name, description, version, skills, provider, documentationUrl, iconUrl } = spec;
  const { security } = facts;
  const versions = PROTOCOL_VERSIONS.filter((each) => facts.versions.includes(each));
  return {
    name,
    description,
    supportedInterfaces: versions.flatMap((protocolVersion): AgentInterface[] => [
      { url: baseUrl, protocolBinding: 'JSONRPC', protocolVersion },
      { url: baseUrl, protocolBinding: 'HTTP+JSON', protocolVersion },
    ]),
    ...(provider ? { provider } : {}),
    version,
    ...(documentationUrl ? { documentationUrl } : {}),
    capabilities: {
      streaming: facts.streaming,
      pushNotifications: facts.pushNotifications,
      extendedAgentCard: facts.extendedAgentCard,
      extensions: extensionsOf(spec),
    },
    ...(security ? { securitySchemes: security.schemes, securityRequirements: security.requirements } : {}),
    defaultInputModes: spec.defaultInputModes ?? DEFAULT_MODES,
    defaultOutputModes: spec.defaultOutputModes ?? DEFAULT_MODES,
    skills,
    ...(iconUrl ? { iconUrl } : {}),
  };
}

/** The card with its signature, where there is a key. */
export async function signedCard(spec: AgentCardSpec, baseUrl: string, facts: CardFacts): Promise<AgentCard> {
  const card = agentCard(spec, baseUrl, facts);
  return facts.signer ? { ...card, signatures: [await signatureOf(card, facts.signer)] } : card;
}

/**
 * Public: the card needs no caller that is known. A reader who names 1.0 gets the card of 1.0 and nothing else; one who
 * names no version, or 0.3, gets the same card with the fields of 0.3 added, if 0.3 is offered.
 */
export async function handleCard(request: HttpRequest, spec: AgentCardSpec, facts: CardFacts): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(['GET', 'HEAD']);
  const addsOld = facts.versions.includes(OLD_PROTOCOL_VERSION) && readerVersion(request) === OLD_PROTOCOL_VERSION;
  const card = await signedCard(spec, request.baseUrl, facts);
  const shown: object = addsOld ? { ...card, ...(await import('./v03/card.ts')).oldCardFields(card) } : card;
  const etag = etagOf(shown);
  const headers = {
    etag,
    'cache-control': `public, max-age=${limits.agentCardMaxAgeSeconds}`,
    ...(facts.versions.includes(OLD_PROTOCOL_VERSION) ? { vary: 'A2A-Version' } : {}),
  };
  if (isCurrent(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  const body = request.method === 'HEAD' ? '' : JSON.stringify(shown);
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** A version that is not known makes no card unreadable: it gets the newest. */
function readerVersion(request: HttpRequest): ProtocolVersion | undefined {
  try {
    return requireVersion(request, PROTOCOL_VERSIONS);
  } catch {
    return undefined;
  }
}

/**
 * Over everything but the signature itself: signing the same card twice gives two signatures, of which each is as good.
 * Such a card is the same without being the same bytes, which is what a weak validator says (RFC 9110 section 8.8.1).
 */
function etagOf(card: object): string {
  const content = JSON.stringify(card, (key, value: Json) => (key === 'signature' ? undefined : value));
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return 'signatures' in card ? `W/"${hash}"` : `"${hash}"`;
}

/** Weak comparison, as If-None-Match asks for (RFC 9110 section 13.1.2). */
function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => {
    const tag = given.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag.replace(/^W\//, '');
  });
}
