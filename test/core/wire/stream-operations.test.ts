/** SendStreamingMessage and SubscribeToTask on the wire, byte by byte, and what requests say about streams. */
import { describe, expect, it } from 'vitest';
import { invalidParams, ProtocolError, taskNotFound } from '../../../core/errors.ts';
import type { StreamItem, StreamOptions } from '../../../core/operations/stream-task.ts';
import type { TaskOperations } from '../../../core/wire/operations.ts';
import { answer, MESSAGE, rpc, wired } from './support.ts';

const STREAMS = { streaming: true };
const URI = 'https://askback.dev/a2a/extensions/question/v1';
const METADATA = { [URI]: { generation: 2 } };

async function* events(): AsyncGenerator<StreamItem, void, undefined> {
  const status = { state: 'TASK_STATE_WORKING' as const, timestamp: '2026-11-30T10:00:00.000Z' };
  yield { id: '1', event: { task: { id: 't', contextId: 'c', status, metadata: { [URI]: { generation: 1 } } } } };
  yield { id: '2', event: { statusUpdate: { taskId: 't', contextId: 'c', status, metadata: METADATA } } };
  yield { comment: 'heartbeat' };
  const artifact = { artifactId: 'a', parts: [{ text: 'ä' }] };
  yield {
    id: '3',
    event: { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true, lastChunk: true } },
  };
}

const streaming = (fakes: Partial<TaskOperations> = {}) =>
  wired({ streamMessage: async () => events(), subscribeToTask: async () => events(), ...fakes }, undefined, STREAMS);

const TASK_JSON =
  '{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-30T10:00:00.000Z"},"metadata":{"https://askback.dev/a2a/extensions/question/v1":{"generation":1}}}}';
const STATUS_JSON =
  '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-30T10:00:00.000Z"},"metadata":{"https://askback.dev/a2a/extensions/question/v1":{"generation":2}}}}';
const ARTIFACT_JSON =
  '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"ä"}]},"append":true,"lastChunk":true}}';

const PLAIN = `id: 1\ndata: ${TASK_JSON}\n\nid: 2\ndata: ${STATUS_JSON}\n\n: heartbeat\n\nid: 3\ndata: ${ARTIFACT_JSON}\n\n`;
const WRAPPED =
  `id: 1\ndata: {"jsonrpc":"2.0","id":7,"result":${TASK_JSON}}\n\n` +
  `id: 2\ndata: {"jsonrpc":"2.0","id":7,"result":${STATUS_JSON}}\n\n: heartbeat\n\n` +
  `id: 3\ndata: {"jsonrpc":"2.0","id":7,"result":${ARTIFACT_JSON}}\n\n`;

const SSE_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
const body = JSON.stringify({ message: MESSAGE });

describe('the bytes of a stream (A2A 9.4.2, 11.7)', () => {
  it.each([
    ['POST', '/message:stream', body],
    ['POST', '/tasks/t:subscribe', undefined],
    ['POST', '/tasks/t:subscribe', '{}'],
    ['GET', '/tasks/t:subscribe', undefined],
    ['GET', '/acme/tasks/t:subscribe', undefined],
  ])('HTTP+JSON: %s %s', async (method, path, sent) => {
    const response = await answer(streaming(), { method, path, body: sent });
    expect(response.status).toBe(200);
    expect(response.headers).toEqual(SSE_HEADERS);
    expect(response.text).toBe(PLAIN);
  });

  it.each([
    ['SendStreamingMessage', { message: MESSAGE }],
    ['SubscribeToTask', { id: 't' }],
  ])('JSON-RPC: %s', async (method, params) => {
    const response = await rpc(streaming(), method, params);
    expect(response.status).toBe(200);
    expect(response.headers).toEqual(SSE_HEADERS);
    expect(response.text).toBe(WRAPPED);
  });

  it('a direct reply is one event without id', async () => {
    async function* reply(): AsyncGenerator<StreamItem, void, undefined> {
      yield { event: { message: { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'Hello' }] } } };
    }
    const { text } = await answer(streaming({ streamMessage: async () => reply() }), { path: '/message:stream', body });
    expect(text).toBe('data: {"message":{"messageId":"r","role":"ROLE_AGENT","parts":[{"text":"Hello"}]}}\n\n');
  });
});

describe('before the first event everything is an ordinary answer (R29)', () => {
  it('an operation that refuses: its status, not a stream', async () => {
    const wire = streaming({
      subscribeToTask: async () => {
        throw taskNotFound('t');
      },
    });
    const overHttp = await answer(wire, { path: '/tasks/t:subscribe' });
    expect([overHttp.status, overHttp.headers['content-type']]).toEqual([404, 'application/json']);
    const overRpc = await rpc(wire, 'SubscribeToTask', { id: 't' });
    expect([overRpc.status, overRpc.headers['content-type']]).toEqual([200, 'application/json']);
    expect(overRpc.json).toMatchObject({ id: 7, error: { code: -32001 } });
  });

  it('a message that is refused by its form', async () => {
    const { status, json } = await answer(streaming(), { path: '/message:stream', body: '{}' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { message: 'message: is required' } });
  });

  it('where responses do not stream: UnsupportedOperation, and the card says so (A2A 3.3.4)', async () => {
    const buffered = wired();
    const calls = [
      await answer(buffered, { path: '/message:stream', body }),
      await answer(buffered, { path: '/tasks/t:subscribe' }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([400, 400]);
    const overRpc = await rpc(buffered, 'SendStreamingMessage', { message: MESSAGE });
    expect(overRpc.json).toMatchObject({ error: { code: -32004 } });
    expect(buffered.calls).toEqual([]);
    const card = { method: 'GET', path: '/.well-known/agent-card.json' };
    expect((await answer(buffered, card)).json).toMatchObject({ capabilities: { streaming: false } });
    expect((await answer(streaming(), card)).json).toMatchObject({ capabilities: { streaming: true } });
  });
});

describe('what a request says about streams', () => {
  it('Last-Event-ID reaches the operation on both bindings', async () => {
    const ids: unknown[] = [];
    const wire = streaming({
      subscribeToTask: async (_deps, _owner, _request, options?: StreamOptions) => {
        ids.push(options?.lastEventId, options?.waitMs);
        return events();
      },
    });
    const headers = { 'a2a-version': '1.0', 'content-type': 'application/json', 'last-event-id': '17' };
    await answer(wire, { method: 'GET', path: '/tasks/t:subscribe', headers });
    await rpc(wire, 'SubscribeToTask', { id: 't' }, { headers });
    await rpc(wire, 'SubscribeToTask', { id: 't' });
    expect(ids).toEqual(['17', 25_000, '17', 25_000, undefined, 25_000]);
  });

  it('one that is none is told with its own status', async () => {
    const wire = streaming({
      subscribeToTask: async () => {
        throw invalidParams('Last-Event-ID', 'must be the id of an event of this task');
      },
    });
    expect((await answer(wire, { path: '/tasks/t:subscribe' })).status).toBe(400);
  });
});

describe('generation in requests (docs/streams.md)', () => {
  const asked = (value: unknown) => ({ [URI]: value });

  it('ifGenerationMatch is read from the metadata of a send', async () => {
    const wire = wired();
    await rpc(wire, 'SendMessage', { message: MESSAGE, metadata: asked({ ifGenerationMatch: 5 }) });
    await rpc(wire, 'SendMessage', { message: MESSAGE, metadata: asked(null) });
    expect(wire.calls).toMatchObject([
      ['sendMessage', { ifGenerationMatch: 5 }],
      ['sendMessage', { message: MESSAGE }],
    ]);
    expect(wire.calls[1]?.[1]).not.toHaveProperty('ifGenerationMatch');
  });

  it('a mismatch is 409 ABORTED, and -32010 under JSON-RPC, as in the draft of A2A 1.1', async () => {
    const wire = wired({
      sendMessage: async () => {
        throw new ProtocolError('TASK_GENERATION_MISMATCH', 'moved on', { metadata: { currentGeneration: '5' } });
      },
    });
    const overHttp = await answer(wire, { path: '/message:send', body });
    expect(overHttp.status).toBe(409);
    expect(overHttp.json).toEqual({
      error: {
        code: 409,
        status: 'ABORTED',
        message: 'moved on',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_GENERATION_MISMATCH',
            domain: 'a2a-protocol.org',
            metadata: { currentGeneration: '5' },
          },
        ],
      },
    });
    expect((await rpc(wire, 'SendMessage', { message: MESSAGE })).json).toMatchObject({ error: { code: -32010 } });
  });

  it('a long poll is asked for in metadata: an object, or its JSON as a query parameter', async () => {
    const wire = wired();
    const metadata = asked({ currentGeneration: 3, waitMs: 5_000 });
    await rpc(wire, 'GetTask', { id: 't', metadata });
    await answer(wire, { method: 'GET', path: '/tasks/t', query: { metadata: [JSON.stringify(metadata)] } });
    const request = { id: 't', currentGeneration: 3, waitMs: 5_000 };
    expect(wire.calls).toEqual([
      ['getTask', request],
      ['getTask', request],
    ]);
  });

  it.each([
    ['{', 'metadata'],
    ['[]', 'metadata'],
    [JSON.stringify(asked(3)), `metadata["${URI}"]`],
    [JSON.stringify(asked({ currentGeneration: '3' })), `metadata["${URI}"].currentGeneration`],
    [JSON.stringify(asked({ currentGeneration: 3, waitMs: -1 })), `metadata["${URI}"].waitMs`],
  ])('%s is refused, and the field is named', async (metadata, field) => {
    const { status, json } = await answer(wired(), {
      method: 'GET',
      path: '/tasks/t',
      query: { metadata: [metadata] },
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { details: [{}, { fieldViolations: [{ field }] }] } });
  });
});
