/** The JSON-RPC binding: envelopes, versions, results (A2A 1.0 section 9). */
import { describe, expect, it } from 'vitest';
import { ProtocolError, RetryableError, taskNotFound } from '../../../core/errors.ts';
import { answer, MESSAGE, rest, rpc, TASK, wired } from './support.ts';

const info = (reason: string, metadata?: Record<string, string>) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
  ...(metadata ? { metadata } : {}),
});

describe('envelopes (JSON-RPC 2.0 sections 4 and 5.1)', () => {
  const INVALID = 'Request payload validation error: ';
  it.each<[string, string | undefined, unknown, number, string, string]>([
    ['empty body', '', null, -32700, 'PARSE_ERROR', 'Invalid JSON payload: the body is empty'],
    ['no body', undefined, null, -32700, 'PARSE_ERROR', 'Invalid JSON payload: the body is empty'],
    ['not JSON', '{"jsonrpc":', null, -32700, 'PARSE_ERROR', 'Invalid JSON payload: the body is not valid JSON'],
    ['batch', '[]', null, -32600, 'INVALID_REQUEST', `${INVALID}batch requests are not supported`],
    ['null', 'null', null, -32600, 'INVALID_REQUEST', `${INVALID}the request must be a JSON object`],
    ['text', '"x"', null, -32600, 'INVALID_REQUEST', `${INVALID}the request must be a JSON object`],
    [
      'notification',
      '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}',
      null,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}id is required; notifications are not supported`,
    ],
    [
      'object as id',
      '{"jsonrpc":"2.0","id":{},"method":"GetTask"}',
      null,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}id must be a string of at most 256 characters, an integer or null`,
    ],
    [
      'fraction as id',
      '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}',
      null,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}id must be a string of at most 256 characters, an integer or null`,
    ],
    [
      'text of 257 characters as id',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(257)}","method":"GetTask"}`,
      null,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}id must be a string of at most 256 characters, an integer or null`,
    ],
    [
      'id too large to give back',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask"}',
      null,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}id must be a string of at most 256 characters, an integer or null`,
    ],
    ['no jsonrpc', '{"id":"a","method":"GetTask"}', 'a', -32600, 'INVALID_REQUEST', `${INVALID}jsonrpc must be "2.0"`],
    [
      'number as jsonrpc',
      '{"jsonrpc":2.0,"id":0,"method":"GetTask"}',
      0,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}jsonrpc must be "2.0"`,
    ],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1, -32600, 'INVALID_REQUEST', `${INVALID}method must be a string`],
    [
      'number as method',
      '{"jsonrpc":"2.0","id":1,"method":1}',
      1,
      -32600,
      'INVALID_REQUEST',
      `${INVALID}method must be a string`,
    ],
  ])('%s', async (_title, body, id, code, reason, message) => {
    const wire = wired();
    const { status, json } = await answer(wire, { body });
    expect(json).toEqual({ jsonrpc: '2.0', id, error: { code, message, data: [info(reason)] } });
    expect(status).toBe(200);
    expect(wire.calls).toEqual([]);
  });

  it.each(['NoSuchMethod', 'message/send', '__proto__', 'constructor', 'toString'])(
    'unknown method %s is -32601, with or without params',
    async (method) => {
      const expected = {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32601, message: `Method not found: ${method}`, data: [info('METHOD_NOT_FOUND', { method })] },
      };
      expect((await rpc(wired(), method)).json).toEqual(expected);
      expect((await rpc(wired(), method, [])).json).toEqual(expected);
    },
  );

  it('gives ids back as they came: text, integer, null', async () => {
    for (const id of ['', 'a-1', 0, -5, null]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: 'task1' } });
      expect((await answer(wired(), { body })).json).toMatchObject({ id, result: { id: 'task1' } });
    }
  });

  it('bytes that are not UTF-8 are a parse error', async () => {
    const { json } = await answer(wired(), { body: new Uint8Array([0x7b, 0xff, 0x7d]) });
    expect(json).toMatchObject({
      id: null,
      error: { code: -32700, message: 'Invalid JSON payload: the body is not valid UTF-8' },
    });
  });

  it('a body over the limit is 413 and names the limit', async () => {
    const { status, json } = await answer(wired(), { body: `"${'x'.repeat(5_632_000)}"` });
    expect(status).toBe(413);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32602,
        message: 'The request is larger than 5632000 bytes',
        data: [info('REQUEST_TOO_LARGE', { bytes: '5632002', maxBytes: '5632000' })],
      },
    });
  });

  it('a JSON bomb of a million brackets is refused without failing', async () => {
    const { json } = await answer(wired(), { body: '['.repeat(1_000_000) });
    expect(json).toMatchObject({ error: { code: -32700 } });
    const data = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]}}}`;
    expect((await answer(wired(), { body })).json).toMatchObject({
      error: { code: -32602, message: 'message.parts[0].data: must not be nested deeper than 64 levels' },
    });
  });

  it('other media types are 415, other methods 405, unknown callers 401', async () => {
    const type = await rpc(
      wired(),
      'GetTask',
      { id: 't' },
      { headers: { 'content-type': 'text/xml', 'a2a-version': '1.0' } },
    );
    expect(type.status).toBe(415);
    expect(type.json).toMatchObject({ id: null, error: { code: -32005 } });
    const method = await answer(wired(), { method: 'GET' });
    expect(method.status).toBe(405);
    expect(method.headers.allow).toBe('POST');
    const caller = await rpc(wired(), 'GetTask', { id: 't' }, { owner: undefined });
    expect(caller.status).toBe(401);
    expect(caller.headers['www-authenticate']).toBe('Bearer');
    expect(caller.json).toMatchObject({ error: { code: -32090, message: 'The caller is not authenticated' } });
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/a2a+json', ''])(
    'accepts content type %j',
    async (type) => {
      const headers = { 'content-type': type, 'a2a-version': '1.0' };
      expect((await rpc(wired(), 'GetTask', { id: 't' }, { headers })).status).toBe(200);
    },
  );
});

describe('results (A2A 1.0 section 9.4)', () => {
  it('SendMessage gives {task} or {message}, GetTask and CancelTask a Task', async () => {
    const wire = wired();
    expect((await rpc(wire, 'SendMessage', { message: MESSAGE })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { task: TASK },
    });
    expect((await rpc(wire, 'GetTask', { id: 'task1', historyLength: 0 })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: TASK,
    });
    expect((await rpc(wire, 'CancelTask', { id: 'task1' })).json).toEqual({ jsonrpc: '2.0', id: 7, result: TASK });
    expect(wire.calls).toEqual([
      ['sendMessage', { message: MESSAGE }],
      ['getTask', { id: 'task1', historyLength: 0 }],
      ['cancelTask', { id: 'task1' }],
    ]);
    const reply = { messageId: 'r1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const replying = wired({ sendMessage: async () => ({ message: reply }) });
    const answered = await rpc(replying, 'SendMessage', { message: MESSAGE });
    expect(answered.json).toEqual({ jsonrpc: '2.0', id: 7, result: { message: reply } });
    expect(answered.headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  });

  it('hands the owner, the time to wait and the signal to SendMessage', async () => {
    const seen: unknown[] = [];
    const wire = wired({
      sendMessage: async (_deps, owner, _request, options) => {
        seen.push(owner, options?.waitMs, options?.signal?.aborted);
        return { task: TASK };
      },
    });
    await rpc(wire, 'SendMessage', { message: MESSAGE }, { waitMs: 1_234, signal: AbortSignal.abort() });
    expect(seen).toEqual([{ tenant: 'acme', principal: 'alice' }, 1_234, true]);
  });
});

describe('errors of operations', () => {
  const failing = (error: unknown) =>
    wired({
      getTask: async () => {
        throw error;
      },
    });

  it('a protocol error is told as it stands, without a log line', async () => {
    const wire = failing(taskNotFound('t9'));
    const { status, json } = await rpc(wire, 'GetTask', { id: 't9' });
    expect(status).toBe(200);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32001, message: 'Task not found: t9', data: [info('TASK_NOT_FOUND', { taskId: 't9' })] },
    });
    expect(wire.deps.lines).toEqual([]);
  });

  it('R26: a task that has ended is UnsupportedOperation on both bindings', async () => {
    const ended = new ProtocolError('UNSUPPORTED_OPERATION', 'The task has ended', { metadata: { taskId: 't' } });
    const wire = wired({
      sendMessage: async () => {
        throw ended;
      },
    });
    expect((await rpc(wire, 'SendMessage', { message: MESSAGE })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32004, message: 'The task has ended', data: [info('UNSUPPORTED_OPERATION', { taskId: 't' })] },
    });
    const overHttp = await rest(wire, 'POST', '/message:send', { message: MESSAGE });
    expect(overHttp.status).toBe(400);
    expect(overHttp.json).toEqual({
      error: {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message: 'The task has ended',
        details: [info('UNSUPPORTED_OPERATION', { taskId: 't' })],
      },
    });
  });

  it('R77: throttling is 503 with retry advice, never not-found', async () => {
    const wire = failing(new RetryableError('THROTTLED', 'table busy: secret-table'));
    const { status, headers, json } = await rpc(wire, 'GetTask', { id: 't' });
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32092,
        message: 'Temporarily unavailable; send the same request again',
        data: [info('UNAVAILABLE'), { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
      },
    });
    expect(wire.deps.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('an unknown error shows a correlation id and nothing of its text, and is logged', async () => {
    const error = new TypeError('cannot read password of undefined');
    const wire = failing(error);
    const { status, json } = await rpc(wire, 'GetTask', { id: 't' });
    expect(status).toBe(500);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'Internal error', data: [info('INTERNAL', { correlationId: 'req-1' })] },
    });
    expect(wire.deps.lines).toEqual([
      { level: 'error', message: 'request failed', fields: { requestId: 'req-1', error } },
    ]);
  });
});
