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
  ])('accepted: %s', async (_title, headers, query) => {
    expect((await rpc(wired(), 'GetTask', { id: 't' }, { headers, query })).json).toHaveProperty('result');
    expect((await rest(wired(), 'GET', '/tasks/t', undefined, { headers, query })).status).toBe(200);
  });

  const NONE = 'The request names no A2A protocol version, which means 0.3; that is not supported';
  it.each<[string, Record<string, string>, Record<string, string[]>, string, string]>([
    ['nothing', {}, {}, NONE, '0.3'],
    ['empty header', { 'a2a-version': '' }, {}, NONE, '0.3'],
    ['0.3', { 'a2a-version': '0.3' }, {}, 'A2A protocol version "0.3" is not supported', '0.3'],
    ['9.9', { 'a2a-version': '9.9' }, {}, 'A2A protocol version "9.9" is not supported', '9.9'],
    ['1', { 'a2a-version': '1' }, {}, 'A2A protocol version "1" is not supported', '1'],
    ['1.00', { 'a2a-version': '1.00' }, {}, 'A2A protocol version "1.00" is not supported', '1.00'],
    ['1.0-beta', { 'a2a-version': '1.0-beta' }, {}, 'A2A protocol version "1.0-beta" is not supported', '1.0-beta'],
    ['query 1.1', {}, { 'A2A-Version': ['1.1'] }, 'A2A protocol version "1.1" is not supported', '1.1'],
  ])('refused: %s', async (_title, headers, query, text, requestedVersion) => {
    const message = `${text}. Send the header "A2A-Version: 1.0".`;
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'VERSION_NOT_SUPPORTED',
        domain: 'a2a-protocol.org',
        metadata: { requestedVersion, supportedVersions: '1.0' },
      },
    ];
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

  it('a 0.3 client with 0.3 method names hears of the version, not of an unknown method', async () => {
    expect((await rpc(wired(), 'message/send', {}, { headers: {} })).json).toMatchObject({ error: { code: -32009 } });
  });

  it('the card needs no version', async () => {
    const path = '/.well-known/agent-card.json';
    expect((await answer(wired(), { method: 'GET', path, headers: {}, owner: undefined })).status).toBe(200);
  });
});
