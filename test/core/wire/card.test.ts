/** The agent card of 1.0: content and caching (A2A 1.0 sections 4.4 and 8.6). */
import { AgentCard } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { wireContext } from '../../../core/wire/context.ts';
import type { TaskOperations } from '../../../core/wire/operations.ts';
import { answer, fakeDeps, type Wired, wired } from './support.ts';

const PATH = '/.well-known/agent-card.json';
const get = (wire: Wired, over: object = {}) =>
  answer(wire, { method: 'GET', path: PATH, headers: { 'a2a-version': '1.0' }, owner: undefined, ...over });

describe('the agent card', () => {
  it('completes what the author says with addresses, capabilities and defaults', async () => {
    const { status, json } = await get(wired());
    expect(status).toBe(200);
    expect(json).toEqual({
      name: 'Expense agent',
      description: 'Files expenses',
      supportedInterfaces: [
        { url: 'https://agent.example.com/prod', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'https://agent.example.com/prod', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'https://agent.example.com/prod', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: 'https://agent.example.com/prod', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ],
      provider: { organization: 'Example', url: 'https://example.com' },
      version: '1.2.3',
      capabilities: {
        streaming: false,
        pushNotifications: false,
        extendedAgentCard: false,
        extensions: [
          {
            uri: 'https://askback.dev/a2a/extensions/question/v1',
            description:
              'A task in TASK_STATE_INPUT_REQUIRED carries its question as a data part with a JSON Schema for the ' +
              'answer, options, an id and an expiry; answers are data parts that name the question.',
            params: {
              expiresInDefaultSeconds: 86_400,
              expiresInMaxSeconds: 2_592_000,
              attemptsDefault: 3,
              answerMaxBytes: 65_536,
              answerMaxDepth: 16,
            },
          },
        ],
      },
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
      skills: [{ id: 'file', name: 'File', description: 'Files one expense', tags: ['expense'] }],
    });
  });

  it("is read by the official SDK's codec without loss", async () => {
    const { json } = await get(wired());
    const card = AgentCard.fromJSON(json);
    expect(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toEqual([
      'JSONRPC',
      'HTTP+JSON',
      'JSONRPC',
      'HTTP+JSON',
    ]);
    expect(card.capabilities?.extensions[0]?.params).toMatchObject({ attemptsDefault: 3 });
    expect(AgentCard.toJSON(card)).toMatchObject({ name: 'Expense agent', version: '1.2.3', skills: [{ id: 'file' }] });
  });

  it('is served with a strong validator and a lifetime; HEAD has the same headers and no body', async () => {
    const { headers } = await get(wired());
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(headers.etag).toMatch(/^"[A-Za-z0-9_-]{27}"$/);
    const head = await get(wired(), { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, headers, text: '' });
  });

  it('answers 304 to its own validator, alone, in a list, weak, or as *; 200 to others', async () => {
    const etag = (await get(wired())).headers.etag!;
    for (const given of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const { status, text, headers } = await get(wired(), {
        headers: { 'if-none-match': given, 'a2a-version': '1.0' },
      });
      expect({ status, text, etag: headers.etag }).toEqual({ status: 304, text: '', etag });
    }
    expect((await get(wired(), { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  it('has another validator when its content differs', async () => {
    const one = (await get(wired())).headers.etag;
    const other = (await get(wired(), { baseUrl: 'https://other.example.com' })).headers.etag;
    expect(other).not.toBe(one);
  });

  it("keeps the author's own modes, and leaves out what the author left out", async () => {
    const wire = wired();
    const deps = fakeDeps();
    const { provider: _provider, ...card } = deps.agent.card;
    const own = { ...card, defaultInputModes: ['image/png'], iconUrl: 'https://example.com/i.png' };
    const context = { ...wire.context, deps: { ...deps, agent: { ...deps.agent, card: own } } };
    const { json } = await get({ ...wire, context });
    expect(json).toMatchObject({ defaultInputModes: ['image/png'], iconUrl: 'https://example.com/i.png' });
    expect(json).not.toHaveProperty('provider');
    expect(json).not.toHaveProperty('documentationUrl');
  });
});

describe('what follows from where the agent runs', () => {
  it('capabilities and security schemes', async () => {
    const security = {
      schemes: { jwt: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/oidc' } } },
      requirements: [{ schemes: { jwt: { list: [] } } }],
    };
    const facts = { streaming: true, pushNotifications: true, extendedAgentCard: true, security };
    const { json } = await get(wired({}, undefined, facts));
    expect(json).toMatchObject({
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: security.schemes,
      securityRequirements: security.requirements,
    });
  });

  it('push notifications go by what is wired, the extended card by the agent', () => {
    const { context } = wired();
    expect(context.facts).toMatchObject({ pushNotifications: false, extendedAgentCard: false });
    const push = { store: {}, queue: {}, webhooks: {} } as NonNullable<typeof context.deps.push>;
    const agent = { ...context.deps.agent, extendedCard: async () => undefined };
    const { facts } = wireContext({ ...context.deps, push, agent }, {} as TaskOperations, []);
    expect(facts).toMatchObject({ pushNotifications: true, extendedAgentCard: true });
  });
});
