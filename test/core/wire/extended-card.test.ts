/** GetExtendedAgentCard on both bindings (A2A 1.0 sections 3.1.11, 3.3.4 and 13.3). */
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../core/agent.ts';
import { fakeDeps, rest, rpc, type Wired, wired } from './support.ts';

/** Times that are over at once are told by their length, in milliseconds. */
function withExtendedCard(extendedCard: NonNullable<Agent['extendedCard']>, overMs?: number): Wired {
  const wire = wired({}, undefined, { extendedAgentCard: true });
  const deps = fakeDeps();
  const after = (ms: number, run: () => void) => {
    if (ms === overMs) queueMicrotask(run);
    return () => {};
  };
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}), after };
  const agent = { ...deps.agent, extendedCard };
  return { ...wire, context: { ...wire.context, deps: { ...deps, agent, clock } } };
}

const both = async (wire: Wired, params: object = {}, over: object = {}) => {
  const overRpc = await rpc(wire, 'GetExtendedAgentCard', params, over);
  const query = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [String(value)]]));
  const overHttp = await rest(wire, 'GET', '/extendedAgentCard', undefined, { query, ...over });
  return { overRpc, overHttp };
};

describe('the extended agent card', () => {
  it('is the public card with what the author says otherwise, for this caller', async () => {
    const skills = [{ id: 'approve', name: 'Approve', description: 'Approves one', tags: [] }];
    const wire = withExtendedCard(async ({ principal }) => ({ description: `For ${principal}`, skills }));
    const { overRpc, overHttp } = await both(wire);
    expect(overHttp.status).toBe(200);
    expect(overHttp.headers['cache-control']).toBe('no-store');
    expect(overHttp.json).toMatchObject({
      name: 'Expense agent',
      description: 'For alice',
      version: '1.2.3',
      skills,
      capabilities: { extendedAgentCard: true },
      supportedInterfaces: [{ url: 'https://agent.example.com/prod' }, {}, {}, {}],
    });
    expect(overRpc.json).toEqual({ jsonrpc: '2.0', id: 7, result: overHttp.json });
    expect(overHttp.json).not.toHaveProperty('protocolVersion');
  });

  it('an agent without one: UnsupportedOperation', async () => {
    const { overRpc, overHttp } = await both(wired());
    const message = 'This agent has no extended agent card';
    expect(overRpc.json).toMatchObject({
      error: { code: -32004, message, data: [{ reason: 'UNSUPPORTED_OPERATION' }] },
    });
    expect(overHttp).toMatchObject({ status: 400, json: { error: { message } } });
  });

  it('none for this caller: ExtendedAgentCardNotConfigured', async () => {
    const { overRpc, overHttp } = await both(withExtendedCard(async () => undefined));
    const message = 'There is no extended agent card for this caller';
    const data = [{ reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', domain: 'a2a-protocol.org' }];
    expect(overRpc.json).toMatchObject({ error: { code: -32007, message, data } });
    expect(overHttp).toMatchObject({ status: 400, json: { error: { status: 'FAILED_PRECONDITION', details: data } } });
  });

  it('needs a caller who is known, of the tenant they name', async () => {
    const wire = withExtendedCard(async () => ({}));
    const unknown = await both(wire, {}, { owner: undefined });
    expect([unknown.overRpc.status, unknown.overHttp.status]).toEqual([401, 401]);
    const foreign = await both(wire, { tenant: 'globex' });
    expect(foreign.overRpc.json).toMatchObject({ error: { code: -32602 } });
    expect(foreign.overHttp.status).toBe(400);
    expect((await both(wire, { tenant: 'acme' })).overHttp.status).toBe(200);
  });

  it("the author's code has 5 s, and its mistake is not the caller's", async () => {
    const never = withExtendedCard(() => new Promise(() => {}), 5_000);
    expect((await both(never)).overHttp.status).toBe(503);
    const throwing = withExtendedCard(async () => {
      throw new TypeError('a secret');
    });
    const { overRpc } = await both(throwing);
    expect(overRpc).toMatchObject({ status: 500, json: { error: { code: -32603, message: 'Internal error' } } });
    expect(overRpc.text).not.toContain('secret');
  });
});
