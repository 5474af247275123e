/** R90: the protocol version of a request (A2A 1.0 sections 3.6.1 and 3.6.2), on both bindings. */
import { describe, expect, it } from 'vitest';
import { answer, rest, rpc, wired } from './support.ts';

describe('A2A-Version', () => {
  it.each<[string, Record<string, string>, Record<string, string[]>]>([
    ['header', { 'a2a-version': '1.0' }, {}],
    ['header with spaces', { 'a2a-version': ' 1.0 ' }, {}],
    ['patch is ignored', { 'a2a-version': '1.0.1' }, {}],
    ['query', {}, { 'A2A-Version': ['1.0'] }],
    ['query in other case', {}, { 'a2a-version': ['1.0.7'] }],
    ['empty header, query', { 'a2a-version': '' }, { 'A2A-Version': ['1.0'] }],
    ['header before query', { 'a2a-version': '1.0' }, { 'A2A-Version': ['0.3'] }],
  ])('1.0: %s', async (_title, headers, query) => {
    expect((await rpc(wired(), 'GetTask', { id: 't' }, { headers, query })).json).toMatchObject({
      result: { id: 'task1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
    expect((await rest(wired(), 'GET', '/tasks/t', undefined, { headers, query })).status).toBe(200);
  });

  it.each<[string, Record<string, string>, Record<string, string[]>]>([
    ['nothing', {}, {}],
    ['empty header', { 'a2a-version': '' }, {}],
    ['header', { 'a2a-version': '0.3' }, {}],
    ['patch is ignored', { 'a2a-version': '0.3.0' }, {}],
    ['query', {}, { 'A2A-Version': ['0.3'] }],
    ['header before query', { 'a2a-version': '0.3' }, { 'A2A-Version': ['1.0'] }],
  ])('0.3: %s', async (_title, headers, query) => {
    expect((await rpc(wired(), 'tasks/get', { id: 't' }, { headers, query })).json).toMatchObject({
      result: { kind: 'task', id: 'task1', status: { state: 'input-required' } },
    });
    expect((await rest(wired(), 'GET', '/v1/tasks/t', undefined, { headers, query })).status).toBe(200);
  });

  const refusal = (requestedVersion: string, supportedVersions: string) => [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'VERSION_NOT_SUPPORTED',
      domain: 'a2a-protocol.org',
      metadata: { requestedVersion, supportedVersions },
    },
  ];

  it.each<[string, Record<string, string>, Record<string, string[]>, string]>([
    ['9.9', { 'a2a-version': '9.9' }, {}, '9.9'],
    ['1', { 'a2a-version': '1' }, {}, '1'],
    ['1.00', { 'a2a-version': '1.00' }, {}, '1.00'],
    ['1.0-beta', { 'a2a-version': '1.0-beta' }, {}, '1.0-beta'],
    ['0.2', { 'a2a-version': '0.2' }, {}, '0.2'],
    ['query 1.1', {}, { 'A2A-Version': ['1.1'] }, '1.1'],
  ])('refused: %s', async (_title, headers, query, version) => {
    const message = `A2A protocol version "${version}" is not supported. Send the header "A2A-Version: 1.0".`;
    const details = refusal(version, '1.0, 0.3');
    const wire = wired();
    expect((await rpc(wire, 'GetTask', { id: 't' }, { headers, query })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32009, message, data: details },
    });
    const overHttp = await rest(wire, 'GET', '/tasks/t', undefined, { headers, query });
    expect(overHttp.status).toBe(400);
    expect(overHttp.json).toEqual({ error: { code: 400, status: 'FAILED_PRECONDITION', message, details } });
    expect(wire.calls).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'The request names no A2A protocol version, which means 0.3; that is not supported'],
    ['0.3', { 'a2a-version': '0.3' }, 'A2A protocol version "0.3" is not supported'],
  ])('an agent of 1.0 alone refuses 0.3: %s', async (_title, headers, text) => {
    const wire = wired({}, undefined, { versions: ['1.0'] });
    const message = `${text}. Send the header "A2A-Version: 1.0".`;
    expect((await rpc(wire, 'message/send', {}, { headers })).json).toMatchObject({
      error: { code: -32009, message, data: refusal('0.3', '1.0') },
    });
    expect((await rest(wire, 'GET', '/tasks/t', undefined, { headers })).json).toMatchObject({
      error: { code: 400, message, details: refusal('0.3', '1.0') },
    });
  });

  it('an agent of 0.3 alone refuses 1.0', async () => {
    const wire = wired({}, undefined, { versions: ['0.3'] });
    expect((await rpc(wire, 'GetTask', { id: 't' })).json).toMatchObject({
      error: { code: -32009, data: refusal('1.0', '0.3') },
    });
  });

  it('a caller of 1.0 who names no version is told what is missing', async () => {
    const hint = 'A request that names no version is one of A2A 0.3; send the header "A2A-Version: 1.0".';
    expect((await rpc(wired(), 'SendMessage', {}, { headers: {} })).json).toMatchObject({
      error: { code: -32601, message: `Method not found: SendMessage. ${hint}` },
    });
    expect(await rest(wired(), 'GET', '/tasks/t', undefined, { headers: {} })).toMatchObject({
      status: 404,
      json: { code: -32601, message: `There is nothing at this path. ${hint}` },
    });
    expect((await rpc(wired(), 'NoSuchMethod', {}, { headers: {} })).json).toMatchObject({
      error: { code: -32601, message: 'Method not found: NoSuchMethod' },
    });
  });

  it('the card needs no version, and none makes it unreadable', async () => {
    const path = '/.well-known/agent-card.json';
    for (const headers of [{}, { 'a2a-version': '1.0' }, { 'a2a-version': '9.9' }]) {
      expect((await answer(wired(), { method: 'GET', path, headers, owner: undefined })).status).toBe(200);
    }
  });
});
