/** The agent card for readers of A2A 0.3: one card for both, without breaking readers of 1.0. */
import { AgentCard } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { CardFacts } from '../../../../core/wire/card.ts';
import { answer, type Wired, wired } from '../support.ts';
import { oldRest, oldRpc } from './support.ts';

const SECURITY: NonNullable<CardFacts['security']> = {
  schemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key', description: 'A key' } },
    token: { httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' } },
    oauth: {
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://example.com/t', scopes: {} } } },
    },
    jwt: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/oidc' } },
    mtls: { mtlsSecurityScheme: {} },
  },
  requirements: [{ schemes: { jwt: { list: ['files'] } } }, { schemes: { key: {}, token: { list: [] } } }],
};

const OLD_SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'A key' },
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://example.com/t', scopes: {} } } },
  jwt: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com/oidc' },
  mtls: { type: 'mutualTLS' },
};

const get = (wire: Wired, headers: Record<string, string> = {}) =>
  answer(wire, { method: 'GET', path: '/.well-known/agent-card.json', headers, owner: undefined });

const BASE = 'https://agent.example.com/prod';
const OLD_FIELDS = {
  protocolVersion: '0.3.0',
  url: BASE,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: BASE, transport: 'JSONRPC' },
    { url: BASE, transport: 'HTTP+JSON' },
  ],
  supportsAuthenticatedExtendedCard: false,
};

describe('the agent card', () => {
  it.each<Record<string, string>>([{}, { 'a2a-version': '0.3' }, { 'a2a-version': '' }])(
    'asked for with %j has the fields of 0.3 beside those of 1.0',
    async (headers) => {
      const { json, headers: sent } = await get(wired(), headers);
      expect(json).toMatchObject({
        ...OLD_FIELDS,
        name: 'Expense agent',
        capabilities: { streaming: false, pushNotifications: false },
        supportedInterfaces: [
          { url: BASE, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url: BASE, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
          { url: BASE, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
          { url: BASE, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
        ],
      });
      expect(sent.vary).toBe('A2A-Version');
    },
  );

  it('asked for in 1.0 has nothing of 0.3 but the addresses, and a validator of its own', async () => {
    const old = await get(wired());
    const { json, headers } = await get(wired(), { 'a2a-version': '1.0' });
    for (const name of Object.keys(OLD_FIELDS)) expect(json).not.toHaveProperty(name);
    expect(headers.vary).toBe('A2A-Version');
    expect(headers.etag).not.toBe(old.headers.etag);
  });

  it('of an agent of 1.0 alone is the same for all', async () => {
    const wire = wired({}, undefined, { versions: ['1.0'] });
    const { json, headers } = await get(wire);
    expect(headers).not.toHaveProperty('vary');
    expect(json).not.toHaveProperty('url');
    expect(json).toMatchObject({ supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '1.0' }] });
    expect((await get(wire, { 'a2a-version': '1.0' })).json).toEqual(json);
  });

  it('says security schemes in both forms, each where its readers look', async () => {
    const { json } = await get(wired({}, undefined, { security: SECURITY }));
    const { securitySchemes, security, securityRequirements } = json as Record<string, Record<string, object>>;
    for (const [name, scheme] of Object.entries(SECURITY.schemes)) {
      expect(securitySchemes?.[name]).toEqual({ ...scheme, ...OLD_SCHEMES[name as keyof typeof OLD_SCHEMES] });
    }
    expect(security).toEqual([{ jwt: ['files'] }, { key: [], token: [] }]);
    expect(securityRequirements).toEqual(SECURITY.requirements);
  });

  it("with everything of 0.3 on it, is to the official SDK's codec the card of 1.0", async () => {
    const facts = { security: SECURITY, extendedAgentCard: true };
    const both = await get(wired({}, undefined, facts));
    const newer = await get(wired({}, undefined, facts), { 'a2a-version': '1.0' });
    expect(AgentCard.toJSON(AgentCard.fromJSON(both.json))).toEqual(AgentCard.toJSON(AgentCard.fromJSON(newer.json)));
  });
});

describe('the extended card in 0.3', () => {
  function extended(): Wired {
    const wire = wired({}, undefined, { extendedAgentCard: true, security: SECURITY });
    const { deps } = wire.context;
    const agent = { ...deps.agent, extendedCard: async () => ({ description: 'More' }) };
    const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}), after: () => () => {} };
    return { ...wire, context: { ...wire.context, deps: { ...deps, agent, clock } } };
  }

  it('JSON-RPC', async () => {
    const { json } = await oldRpc(extended(), 'agent/getAuthenticatedExtendedCard');
    expect(json).toMatchObject({
      result: {
        ...OLD_FIELDS,
        supportsAuthenticatedExtendedCard: true,
        description: 'More',
        security: [{ jwt: ['files'] }, { key: [], token: [] }],
      },
    });
  });

  it('HTTP+JSON, whose protobuf has requirements as 1.0 has them', async () => {
    const { json } = await oldRest(extended(), 'GET', '/v1/card');
    expect(json).toMatchObject({ ...OLD_FIELDS, supportsAuthenticatedExtendedCard: true, description: 'More' });
    expect(json).toMatchObject({ security: SECURITY.requirements });
  });
});
