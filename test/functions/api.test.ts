/** The api function through its real middy stack: recorded gateway events in, gateway results out. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { taskNotFound } from '../../core/errors.ts';
import type { TaskOperations } from '../../core/wire/operations.ts';
import { type ApiContext, type ApiOptions, apiHandler } from '../../functions/api.ts';
import { fakeDeps, MESSAGE, TASK } from '../core/wire/support.ts';
import { ANONYMOUS, gatewayEvent, lambdaContext } from './events.ts';

function api(fakes: Partial<TaskOperations> = {}, options: ApiOptions = {}) {
  const deps = fakeDeps();
  const tasks: TaskOperations = {
    sendMessage: async () => ({ task: TASK }),
    streamMessage: async () => noEvents(),
    subscribeToTask: async () => noEvents(),
    getTask: async () => TASK,
    listTasks: async () => ({ tasks: [TASK], nextPageToken: '', pageSize: 50, totalSize: 1 }),
    cancelTask: async () => TASK,
    ...fakes,
  };
  const handler = apiHandler(deps, options, tasks);
  const call = async (event: APIGatewayProxyEvent, context: ApiContext = lambdaContext()) => {
    const result = await handler(event, context);
    const json: unknown = result.body === '' ? undefined : JSON.parse(String(result.body));
    return { ...result, json };
  };
  return { deps, call };
}

async function* noEvents(): AsyncGenerator<never, void, undefined> {}

const rpcBody = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

describe('the api function', () => {
  it('answers JSON-RPC at the root, plain and in base64', async () => {
    const { call } = api();
    const body = rpcBody('SendMessage', { message: MESSAGE });
    const expected = { jsonrpc: '2.0', id: 1, result: { task: TASK } };
    expect(await call(gatewayEvent({ body }))).toMatchObject({ statusCode: 200, json: expected });
    const encoded = gatewayEvent({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true });
    expect(await call(encoded)).toMatchObject({ statusCode: 200, json: expected });
  });

  it('a body that is not UTF-8 is a parse error, not a mangled message', async () => {
    const body = Buffer.from([0x22, 0xc3, 0x28, 0x22]).toString('base64');
    expect((await api().call(gatewayEvent({ body, isBase64Encoded: true }))).json).toMatchObject({
      error: { code: -32700 },
    });
  });

  it('answers HTTP+JSON below the root, with the owner from the signature', async () => {
    const owners: unknown[] = [];
    const { call } = api({
      getTask: async (_deps, owner, request) => {
        owners.push(owner, request);
        return TASK;
      },
    });
    const event = gatewayEvent({ method: 'GET', path: '/tasks/task1', query: { historyLength: ['0'] } });
    expect(await call(event)).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      json: TASK,
    });
    expect(owners).toEqual([
      { tenant: '111122223333', principal: 'AROAEXAMPLEROLE' },
      { id: 'task1', historyLength: 0 },
    ]);
  });

  it('R22: an unknown task is TaskNotFound on both bindings', async () => {
    const { call } = api({
      getTask: async () => {
        throw taskNotFound('nope');
      },
    });
    expect((await call(gatewayEvent({ body: rpcBody('GetTask', { id: 'nope' }) }))).json).toMatchObject({
      error: { code: -32001, message: 'Task not found: nope' },
    });
    expect(await call(gatewayEvent({ method: 'GET', path: '/tasks/nope' }))).toMatchObject({
      statusCode: 404,
      json: { error: { code: 404, status: 'NOT_FOUND', message: 'Task not found: nope' } },
    });
  });

  it('R43: a caller that nobody vouches for gets 401, whatever the request says', async () => {
    const event = gatewayEvent({ identity: ANONYMOUS, method: 'GET', path: '/acme/tasks/task1' });
    expect(await api().call(event)).toMatchObject({
      statusCode: 401,
      json: { error: { status: 'UNAUTHENTICATED' } },
    });
  });

  it('R90: no version header means 0.3: its methods are answered in its form, those of 1.0 are not known', async () => {
    const headers = { 'A2A-Version': [''] };
    const old = gatewayEvent({ body: rpcBody('tasks/get', { id: 't' }), headers });
    expect((await api().call(old)).json).toMatchObject({
      result: { kind: 'task', status: { state: 'input-required' } },
    });
    const newer = gatewayEvent({ body: rpcBody('GetTask', { id: 't' }), headers });
    expect((await api().call(newer)).json).toMatchObject({
      error: {
        code: -32601,
        message:
          'Method not found: GetTask. A request that names no version is one of A2A 0.3; send the header "A2A-Version: 1.0".',
      },
    });
  });

  it('serves the card to anybody, with the address that the gateway has', async () => {
    const event = gatewayEvent({ identity: ANONYMOUS, method: 'GET', path: '/.well-known/agent-card.json' });
    const { statusCode, headers, json } = await api().call(event);
    expect(statusCode).toBe(200);
    expect(json).toMatchObject({
      supportedInterfaces: [{ url: 'https://abc123.execute-api.eu-west-1.amazonaws.com/prod' }, {}, {}, {}],
    });
    const etag = String(headers?.etag);
    const again = await api().call({ ...event, multiValueHeaders: { 'If-None-Match': [etag] } });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
  });

  it.each([
    [29_000, undefined, 25_000],
    [10_000, undefined, 8_000],
    [1_000, undefined, 0],
    [29_000, 3_000, 3_000],
  ])('R35: with %i ms left and option %j a blocking send waits %i ms', async (left, blockingWaitMs, expected) => {
    const waits: unknown[] = [];
    const { call } = api(
      {
        sendMessage: async (_deps, _owner, _request, options) => {
          waits.push(options?.waitMs);
          return { task: TASK };
        },
      },
      blockingWaitMs === undefined ? {} : { blockingWaitMs },
    );
    await call(gatewayEvent({ body: rpcBody('SendMessage', { message: MESSAGE }) }), lambdaContext(left));
    expect(waits).toEqual([expected]);
  });

  it('passes on the signal of a runtime that has one', async () => {
    const signals: unknown[] = [];
    const { call } = api({
      sendMessage: async (_deps, _owner, _request, options) => {
        signals.push(options?.signal);
        return { task: TASK };
      },
    });
    const signal = new AbortController().signal;
    const event = gatewayEvent({ body: rpcBody('SendMessage', { message: MESSAGE }) });
    await call(event, { ...lambdaContext(), signal });
    await call(event);
    expect(signals).toEqual([signal, undefined]);
  });

  it('an internal error quotes the gateway’s request id and is logged', async () => {
    const error = new Error('table name');
    const { call, deps } = api({
      getTask: async () => {
        throw error;
      },
    });
    const { statusCode, json, body } = await call(gatewayEvent({ method: 'GET', path: '/tasks/t' }));
    expect(statusCode).toBe(500);
    expect(json).toMatchObject({ error: { details: [{ metadata: { correlationId: 'gateway-request-1' } }] } });
    expect(body).not.toContain('table name');
    expect(deps.lines).toEqual([
      { level: 'error', message: 'request failed', fields: { requestId: 'gateway-request-1', error } },
    ]);
  });

  it('an event that is none is a logged 500 without details, not a crash', async () => {
    const { call, deps } = api();
    const { statusCode, json } = await call({} as never);
    expect(statusCode).toBe(500);
    expect(json).toEqual({
      error: {
        code: 500,
        status: 'INTERNAL',
        message: 'Internal error',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'INTERNAL',
            domain: 'a2a-protocol.org',
            metadata: { correlationId: 'lambda-request-1' },
          },
        ],
      },
    });
    expect(deps.lines).toMatchObject([{ level: 'error', message: 'the api function failed' }]);
  });
});
