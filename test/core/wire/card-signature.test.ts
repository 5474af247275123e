/** What is signed of a card (A2A 1.0 section 8.4.1): held against the official SDK's canonical form. */
import { type AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { canonicalCard } from '../../../core/wire/card-signature.ts';
import { answer, fakeDeps, rpc, wired } from './support.ts';

describe('the canonical form (RFC 8785)', () => {
  it('sorts keys by their UTF-16 units, leaves out blanks, signatures and what is empty', () => {
    const card = {
      name: 'Ägent \u20ac "x"',
      signatures: [{ protected: 'p', signature: 's' }],
      empty: { a: '', b: [], c: {}, d: null },
      capabilities: { streaming: false, pushNotifications: false, extensions: [] },
      params: { '10': 1, '9': 2, b: 1e21, a: 0.1, '\ufb33': 1, '\u{1f600}': 2 },
      list: [{ z: 1, y: [2, ''] }],
    };
    expect(canonicalCard(card)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"list":[{"y":[2],"z":1}],' +
        '"name":"Ägent € \\"x\\"","params":{"10":1,"9":2,"a":0.1,"b":1e+21,"\u{1f600}":2,"\ufb33":1}}',
    );
  });

  it("is the official SDK's, of the card as it is served", async () => {
    const security = {
      schemes: { jwt: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/oidc' } } },
      requirements: [{ schemes: { jwt: { list: ['a'] } } }],
    };
    const wire = wired({}, undefined, { streaming: true, security });
    const deps = fakeDeps();
    const extensions = [
      { uri: 'https://example.com/x', required: true, params: { '10': 1, '9': { deep: [true, 0] } } },
    ];
    const agent = { ...deps.agent, card: { ...deps.agent.card, extensions, iconUrl: 'https://example.com/i.png' } };
    const context = { ...wire.context, deps: { ...deps, agent } };
    const read = async (headers: Record<string, string>) => {
      const request = { method: 'GET', path: '/.well-known/agent-card.json', headers };
      return (await answer({ ...wire, context }, request)).json as AgentCard;
    };
    // The SDK's function reads what it is given as JSON; of a card that its codec has read, 1.3.0 loses the security schemes.
    const newer = await read({ 'a2a-version': '1.0' });
    expect(canonicalCard(newer)).toBe(canonicalizeAgentCard(newer));
    expect(canonicalCard(newer)).toContain('"securitySchemes":{"jwt":{"openIdConnectSecurityScheme"');
    // What is added for 0.3 is not signed, and does not spoil the signature.
    const { securitySchemes: _both, ...withOldFields } = await read({});
    const { securitySchemes: _one, ...withoutThem } = newer;
    expect(canonicalizeAgentCard(withOldFields as AgentCard)).toBe(canonicalizeAgentCard(withoutThem as AgentCard));
  });
});

describe('a signed card', () => {
  let signed = 0;
  const signer = {
    async sign(payload: string) {
      signed += 1;
      return { protected: 'eyJ9', signature: `${payload.length}-${signed}` };
    },
  };
  const get = (headers: Record<string, string> = {}) =>
    answer(wired({}, undefined, { signer }), {
      method: 'GET',
      path: '/.well-known/agent-card.json',
      headers: { 'a2a-version': '1.0', ...headers },
    });

  it('carries its signature; another one of the same card does not make it another card', async () => {
    const { json, headers } = await get();
    expect(json).toMatchObject({ signatures: [{ protected: 'eyJ9', signature: expect.stringMatching(/^\d+-\d+$/) }] });
    expect(headers.etag).toMatch(/^W\/"[A-Za-z0-9_-]{27}"$/);
    const again = await get({ 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.headers.etag]).toEqual([304, headers.etag]);
  });

  it('the extended card is signed as well', async () => {
    const wire = wired({}, undefined, { signer });
    const { deps } = wire.context;
    const agent = { ...deps.agent, extendedCard: async () => ({ description: 'More' }) };
    const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}), after: () => () => {} };
    const context = { ...wire.context, deps: { ...deps, agent, clock } };
    expect((await rpc({ ...wire, context }, 'GetExtendedAgentCard')).json).toMatchObject({
      result: { description: 'More', signatures: [{ protected: 'eyJ9' }] },
    });
  });
});
