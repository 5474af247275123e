/** From an address on the command line to the client of the agent there. */
import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { AgentCalls } from '../agent-calls.ts';
import { machineClock } from '../clock.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { connect } from '../connect.ts';
import { AgentUnsupportedError } from '../errors.ts';
import type { AgentIdentity } from '../types.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailed, failureOf, misused } from './failures.ts';
import { accessTo, type Login } from './login.ts';
import type { World } from './world.ts';

export interface Agent {
  readonly client: Client;
  /** The same, in A2A's JSON form and with retries. */
  readonly calls: AgentCalls;
  readonly identity: AgentIdentity;
  readonly login: Login | undefined;
}

/** The address as it is remembered: http or https, no credentials, no slash at its end. */
export function agentUrl(text: string): string {
  const url = parsed(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw misused(
      `${cleanLine(text)} is no address of an agent`,
      'It begins with http:// or https://, as in http://localhost:3000',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw misused(
      'an address must not hold credentials',
      'Put the token into a variable and name it: --bearer-env NAME',
    );
  }
  url.hash = '';
  return url.href.replace(/\/(\.well-known\/agent-card\.json)?$/, '');
}

/** @throws CommandFailed when there is no agent, or the credentials are missing */
export async function openAgent(url: string, login: Login | undefined, world: World): Promise<Agent> {
  const access = await accessTo(url, login, world);
  try {
    const client = await connect(url, access);
    const calls = await AgentCalls.open(client, { clock: machineClock, signal: world.interrupted });
    return { client, calls, identity: { name: calls.agent.name, url }, login };
  } catch (error) {
    if (error instanceof AgentUnsupportedError) {
      throw new CommandFailed(EXIT.unreachable, `${url}: ${error.message}`, { cause: error });
    }
    const failure = failureOf(error, url);
    if (failure.exit !== EXIT.failed) throw failure;
    throw new CommandFailed(EXIT.unreachable, `there is no agent at ${url}: ${failure.message}`, {
      advice: `Its card would be at ${url}/.well-known/agent-card.json`,
      cause: error,
    });
  }
}

/** The public card, or with credentials the one for callers who are known, where the agent has one. */
export async function cardOf(url: string, login: Login | undefined, world: World): Promise<AgentCard> {
  const { client, identity } = await openAgent(url, login, world);
  try {
    if (login) return await client.getAgentCard();
    const { DefaultAgentCardResolver } = await import('@a2a-js/sdk/client');
    const settings = { fetchImpl: world.fetch, path: '.well-known/agent-card.json', legacyCompat: { enabled: true } };
    return await new DefaultAgentCardResolver(settings).resolve(`${identity.url}/`);
  } catch (error) {
    throw failureOf(error, url);
  }
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
