/**
 * Makes the official SDK's client for an agent: reads its card and takes the binding that the card prefers among those
 * that the SDK speaks, A2A 0.3 included. For anything more, use the SDK's `ClientFactory`; the loop takes any client.
 */
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { AgentCard, AgentInterface } from '@a2a-js/sdk';
import { rememberAgent } from './agent-identity.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { cleanLine } from '../core/clean-text.ts';
import { AgentUnsupportedError } from './errors.ts';

export interface ConnectOptions {
  /** Sent with every request, that for the card included; called each time when it is a function. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>);
  /** Short for the header `Authorization: Bearer <token>`; a function is called each time, so that tokens can change. */
  readonly bearer?: string | (() => string | Promise<string>);
  /** More origins that may get them, such as `https://api.example.com`, where the card names addresses elsewhere. */
  readonly origins?: readonly string[];
  /** Takes this binding if the card has it. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** Replaces the global `fetch`: for proxies, mutual TLS, request signing. */
  readonly fetch?: typeof fetch;
}

type HeaderFields = Readonly<Record<string, string>>;

/**
 * Headers go only to the origin of `url`: a card may name other addresses, and must not get at a token by that.
 * @param url the agent's base address; its card is at `/.well-known/agent-card.json` below it
 * @throws AgentUnsupportedError when it is no card, or offers nothing that is spoken here; whatever reading the card throws
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Client> {
  // With a slash at its end, or the card would be looked for beside an address that has a path.
  const base = url.endsWith('/') ? url : `${url}/`;
  const origins = new Set([base, ...(options.origins ?? [])].map((each) => new URL(each).origin));
  const fetchImpl = boundedFetch(fetchWith(options, origins));
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, path: CARD, legacyCompat: { enabled: true } });
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [
        new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
        new RestTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
      ],
      ...(options.binding ? { preferredTransports: [options.binding] } : {}),
      cardResolver,
    }),
  );
  const card = spoken(await cardResolver.resolve(base), base);
  const client = await factory.createFromAgentCard(card);
  rememberAgent(client, url, card);
  return client;
}

/** The card with what we speak of it: a version to come has messages that would be read wrongly. */
function spoken(card: AgentCard, base: string): AgentCard {
  // Whatever lies at the address is taken for a card by the official client.
  const offered: unknown = (card as Partial<AgentCard> | null)?.supportedInterfaces;
  if (!Array.isArray(offered)) throw new AgentUnsupportedError(`what is at ${base}${CARD} is no agent card`);
  const supportedInterfaces = (offered as AgentInterface[]).filter(isSpoken);
  if (supportedInterfaces.length > 0) return { ...card, supportedInterfaces };
  const shown = (offered as (Partial<AgentInterface> | null)[])
    .slice(0, 5)
    .map((one) => cleanLine(`${one?.protocolBinding} ${one?.protocolVersion} at ${one?.url}`, 200));
  const instead = shown.length === 0 ? 'no interface at all' : shown.join(', ');
  throw new AgentUnsupportedError(
    `the agent does not offer A2A 1.0 or 0.3 over JSON-RPC or HTTP+JSON at a web address; it offers ${instead}`,
  );
}

function isSpoken(one: Partial<AgentInterface> | null): boolean {
  const { url = '', protocolBinding, protocolVersion = '' } = one ?? {};
  return (
    (protocolBinding === 'JSONRPC' || protocolBinding === 'HTTP+JSON') &&
    VERSIONS.test(protocolVersion) &&
    URL.canParse(url) &&
    /^https?:$/.test(new URL(url).protocol)
  );
}

/** Later versions of 1 add and do not change; a card that names none is taken for one of today. */
const VERSIONS = /^(1(\.\d+)*|0\.3(\.\d+)?|)$/;

const CARD = '.well-known/agent-card.json';

function fetchWith(
  { headers, bearer, fetch: own = fetch }: ConnectOptions,
  origins: ReadonlySet<string>,
): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    // What was said to one agent is not said again wherever it points to; a card may have moved.
    const careful: RequestInit = init?.method === 'POST' ? { ...init, redirect: 'error' } : { ...init };
    if (headers === undefined && bearer === undefined) return own(input, careful);
    if (!origins.has(new URL(address).origin)) return own(input, careful);
    const given = typeof headers === 'function' ? await headers() : headers;
    const token = typeof bearer === 'function' ? await bearer() : bearer;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const all = { ...Object.fromEntries(new Headers(init?.headers)), ...given, ...authorization };
    // A redirect would carry the token along.
    return own(input, { ...careful, headers: all, redirect: 'error' });
  };
}
