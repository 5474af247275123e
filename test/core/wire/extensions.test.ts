/** Extensions: declared on the card, activated by a request, required by the agent (A2A 1.0 sections 3.3.4 and 4.6). */
import { describe, expect, it } from 'vitest';
import type { AgentCardSpec } from '../../../core/agent.ts';
import { answer, fakeDeps, MESSAGE, rest, rpc, type Wired, wired } from './support.ts';

const QUESTION = 'https://askback.dev/a2a/extensions/question/v1';
const OWN = 'https://example.com/extensions/own/v1';

function declaring(extensions: AgentCardSpec['extensions']): Wired {
  const wire = wired();
  const deps = fakeDeps();
  const card = { ...deps.agent.card, ...(extensions && { extensions }) };
  const agent = { ...deps.agent, card, extendedCard: async () => ({}) };
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}), after: () => () => {} };
  return { ...wire, context: { ...wire.context, deps: { ...deps, agent, clock } } };
}

const asking = (value?: string, name = 'a2a-extensions') => ({
  headers: { 'a2a-version': '1.0', ...(value === undefined ? {} : { [name]: value }) },
});

describe('declared on the card', () => {
  const shown = async (wire: Wired) => {
    const { json } = await answer(wire, { method: 'GET', path: '/.well-known/agent-card.json' });
    const { capabilities } = json as { capabilities: { extensions: { uri: string; required?: boolean }[] } };
    return capabilities.extensions.map(({ uri, required }) => [uri, required]);
  };

  it('the question extension, then those of the author; required only where it is', async () => {
    expect(await shown(wired())).toEqual([[QUESTION, undefined]]);
    const own = { uri: OWN, description: 'Ours', params: { most: 3 } };
    expect(await shown(declaring([{ ...own, required: true }]))).toEqual([
      [QUESTION, undefined],
      [OWN, true],
    ]);
    expect(await shown(declaring([{ ...own, required: false }]))).toEqual([
      [QUESTION, undefined],
      [OWN, undefined],
    ]);
  });

  it('an author may make the question extension required', async () => {
    expect(await shown(declaring([{ uri: QUESTION, required: true }]))).toEqual([[QUESTION, true]]);
  });
});

describe('activated by a request', () => {
  it.each([
    [QUESTION, QUESTION],
    [`https://example.com/x , ${QUESTION}`, QUESTION],
    [`${OWN},${QUESTION}`, `${QUESTION}, ${OWN}`],
    ['https://example.com/x', undefined],
    [`${QUESTION}/more`, undefined],
  ])('asked for %j, active: %j', async (asked, active) => {
    const { headers } = await rest(declaring([{ uri: OWN }]), 'GET', '/tasks/t', undefined, asking(asked));
    expect(headers['a2a-extensions']).toBe(active);
    expect(headers).not.toHaveProperty('x-a2a-extensions');
  });

  it('0.3 asks in a header of its own, and is told in it', async () => {
    const { headers } = await rest(wired(), 'GET', '/v1/tasks/t', undefined, {
      headers: { 'x-a2a-extensions': QUESTION },
    });
    expect(headers['x-a2a-extensions']).toBe(QUESTION);
  });
});

describe('required', () => {
  const wire = () => declaring([{ uri: OWN, required: true }]);
  const message = `This agent requires ${OWN}. Name what you support in the header A2A-Extensions.`;
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'EXTENSION_SUPPORT_REQUIRED',
      domain: 'a2a-protocol.org',
      metadata: { missingExtensions: OWN },
    },
  ];

  it.each([undefined, '', QUESTION, `${OWN}/2`])(
    'a request that names %j is refused on both bindings',
    async (asked) => {
      const refusing = wire();
      expect((await rpc(refusing, 'SendMessage', { message: MESSAGE }, asking(asked))).json).toEqual({
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32008, message, data: details },
      });
      expect(await rest(refusing, 'GET', '/tasks/t', undefined, asking(asked))).toMatchObject({
        status: 400,
        json: { error: { code: 400, status: 'FAILED_PRECONDITION', message, details } },
      });
      expect(refusing.calls).toEqual([]);
    },
  );

  it('a request that names it is served, in 1.0 and in 0.3', async () => {
    expect((await rpc(wire(), 'GetTask', { id: 't' }, asking(`x, ${OWN}`))).json).toHaveProperty('result');
    const old = { headers: { 'x-a2a-extensions': OWN } };
    expect((await rpc(wire(), 'tasks/get', { id: 't' }, old)).json).toHaveProperty('result');
    expect((await rpc(wire(), 'tasks/get', { id: 't' }, { headers: {} })).json).toMatchObject({
      error: { code: -32008 },
    });
  });

  it('both cards can be read without it', async () => {
    expect((await answer(wire(), { method: 'GET', path: '/.well-known/agent-card.json' })).status).toBe(200);
    expect((await rpc(wire(), 'GetExtendedAgentCard', {}, asking())).json).toHaveProperty('result');
  });
});
