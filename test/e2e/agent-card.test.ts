/**
 * The official client against an agent that uses what a card can say: a signature, an extended card, a required
 * extension (A2A 8.4, 3.1.11, 3.3.4); and a send on top of a known state, which goes ahead of A2A 1.1.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentCard, SendMessageRequest, type Task, verifyAgentCardSignature } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/index.ts';
import { createCardSigner } from '../../functions/card-signer.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { BINDINGS } from './support/bindings.ts';
import { isLocal } from './support/target.ts';

const URI = 'https://askback.dev/a2a/extensions/question/v1';
const ASKS = { serviceParameters: { 'A2A-Extensions': URI } };
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const agent = defineAgent({
  card: {
    name: 'Clerk',
    description: 'Asks for a colour.',
    version: '1.0.0',
    skills: [{ id: 'ask', name: 'Ask', description: 'Asks.', tags: ['test'] }],
    extensions: [{ uri: URI, required: true }],
  },
  extendedCard: ({ principal }) => (principal === 'alice' ? { description: 'Asks Alice for a colour.' } : undefined),
  async run(turn) {
    await turn.ask('colour', { text: 'Which colour?' });
  },
});

async function connect(url: string, binding: string, user: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), Authorization: `Bearer ${user}-token` };
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
  });
  return new ClientFactory(options).createFromUrl(`${url}/`);
}

describe.skipIf(!isLocal).each(BINDINGS)('over %s with the official client', (binding) => {
  let data: string;
  let runtime: Runtime;
  let client: Client;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'askback-card-'));
    const signer = createCardSigner(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'card-1' }));
    runtime = await startRuntime({ port: 0, data, agent, card: { signer }, log: new QuietLog() });
    client = await connect(runtime.url, binding, 'alice');
  });
  afterAll(async () => {
    await runtime.stop();
    await rm(data, { recursive: true, force: true });
  });

  const send = async (message: object, metadata: object | undefined, options: object = ASKS): Promise<Task> => {
    const request = SendMessageRequest.fromJSON({ message: { role: 'ROLE_USER', ...message }, metadata });
    return (await client.sendMessage(request, options)) as Task;
  };
  const told = (generation: number) => ({ [URI]: { ifGenerationMatch: generation } });

  it('the card is signed, and so is the one that alice sees', async () => {
    const verify = verifyAgentCardSignature(async () => publicKey);
    const card = await fetch(`${runtime.url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
    await verify(AgentCard.fromJSON(await card.json()));
    const extended = await client.getAgentCard();
    expect(extended.description).toBe('Asks Alice for a colour.');
    await verify(extended);
    const bob = await connect(runtime.url, binding, 'bob');
    await expect(bob.getAgentCard()).rejects.toThrow('There is no extended agent card for this caller');
  });

  it('a request that does not name what is required is refused', async () => {
    await expect(send({ messageId: 'm-0', parts: [{ text: 'Hello' }] }, undefined, {})).rejects.toMatchObject({
      name: 'ExtensionSupportRequiredError',
    });
  });

  it('an answer on top of a state that has passed is refused and changes nothing; on top of this one it counts', async () => {
    const asked = await send({ messageId: 'm-1', parts: [{ text: 'Hello' }] }, undefined);
    expect(asked.metadata).toEqual({ [URI]: { generation: 3 } });
    const answer = { messageId: 'm-2', taskId: asked.id, parts: [{ text: 'green' }] };
    await expect(send(answer, told(2))).rejects.toThrow('Task generation mismatch: expected 2, and the task is at 3');
    expect((await send(answer, told(3))).metadata).toEqual({ [URI]: { generation: 5 } });
  });
});
