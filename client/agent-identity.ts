/** What is known of the agent behind a client: for naming it to people, and for what its card says it can do. */
import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { cleanLine } from '../core/clean-text.ts';
import type { AgentIdentity } from './types.ts';

export interface KnownAgent extends AgentIdentity {
  /** It declares the question extension: it takes a message that is sent twice for one. */
  readonly takesRepeats: boolean;
  readonly streams: boolean;
}

const known = new WeakMap<Client, KnownAgent>();

export function rememberAgent(client: Client, url: string, card: AgentCard): KnownAgent {
  const agent: KnownAgent = {
    name: cleanLine(String(card.name ?? ''), NAME_CHARS) || NO_NAME,
    url: url.replace(/\/+$/, ''),
    streams: card.capabilities?.streaming === true,
    takesRepeats: card.capabilities?.extensions?.some(({ uri }) => uri === QUESTION_EXTENSION_URI) ?? false,
  };
  known.set(client, agent);
  return agent;
}

const NAME_CHARS = 100;
const NO_NAME = 'an agent without a name';

/** Of a client that `connect` did not make, the address is the one on the card that the client can speak to. */
export async function agentOf(client: Client): Promise<KnownAgent> {
  const remembered = known.get(client);
  if (remembered) return remembered;
  // The client may have to fetch an extended card for this, which may need more rights than a send.
  const card = await client.getAgentCard().catch(() => undefined);
  if (!card) return { name: NO_NAME, url: '', takesRepeats: false, streams: true };
  const { protocolName } = client.transport;
  const interfaces = card.supportedInterfaces ?? [];
  const mine = interfaces.find(({ protocolBinding }) => protocolBinding === protocolName) ?? interfaces[0];
  return rememberAgent(client, mine?.url ?? '', card);
}
