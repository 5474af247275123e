import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpResult, type HttpServer, startHttpServer } from '../../local/http-server.ts';

let server: HttpServer;
const events: APIGatewayProxyEvent[] = [];
const errors: unknown[] = [];

async function start(
  handle: (event: APIGatewayProxyEvent, signal: AbortSignal) => Promise<HttpResult>,
): Promise<string> {
  events.length = 0;
  errors.length = 0;
  server = await startHttpServer({
    port: 0,
    handle: (event, signal) => {
      events.push(event);
      return handle(event, signal);
    },
    onError: (error) => errors.push(error),
  });
  return `http://localhost:${server.port}`;
}
afterEach(() => server.stop(0));

const ok = async (): Promise<HttpResult> => ({
  statusCode: 200,
  headers: { 'content-type': 'text/plain' },
  body: 'fine',
});

describe('a request becomes the event of the REST proxy integration', () => {
  test('method, path, query, headers and body', async () => {
    const url = await start(ok);
    const response = await fetch(`${url}/tasks/a%2Fb:cancel?historyLength=2&x=1&x=two%20words&empty=`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'content-type': 'application/json' },
      body: '{"text":"für"}',
    });
    expect([response.status, await response.text()]).toEqual([200, 'fine']);
    expect(events[0]).toMatchObject({
      resource: '/{proxy+}',
      httpMethod: 'POST',
      path: '/tasks/a%2Fb:cancel',
      pathParameters: { proxy: 'tasks/a%2Fb:cancel' },
      queryStringParameters: { historyLength: '2', x: 'two words', empty: '' },
      multiValueQueryStringParameters: { historyLength: ['2'], x: ['1', 'two words'], empty: [''] },
      body: '{"text":"für"}',
      isBase64Encoded: false,
      requestContext: { httpMethod: 'POST', stage: 'local' },
    });
  });

  test('no query and no body are null', async () => {
    const url = await start(ok);
    await fetch(url);
    expect(events[0]).toMatchObject({ path: '/', queryStringParameters: null, pathParameters: null, body: null });
  });

  test('header names keep their spelling, and repeated ones their values', async () => {
    const url = await start(ok);
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest(url, { headers: { 'X-Twice': ['a', 'b'] } }, (response) => {
        response.resume().on('end', resolve);
      });
      request.on('error', reject).end();
    });
    expect(events[0]?.headers['X-Twice']).toBe('b');
    expect(events[0]?.multiValueHeaders['X-Twice']).toEqual(['a', 'b']);
  });
});

describe('a result becomes the response', () => {
  test('status, headers, several values of one header', async () => {
    const url = await start(async () => ({
      statusCode: 202,
      headers: { 'x-one': 'a' },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
      body: '',
    }));
    const response = await fetch(url);
    expect([response.status, response.headers.get('x-one'), response.headers.getSetCookie()]).toEqual([
      202,
      'a',
      ['a=1', 'b=2'],
    ]);
  });

  test('a base64 body is decoded', async () => {
    const url = await start(async () => ({ statusCode: 200, body: 'aGVsbG8=', isBase64Encoded: true }));
    expect(await (await fetch(url)).text()).toBe('hello');
  });

  test('a streamed body is sent piece by piece', async () => {
    let goOn = () => {};
    const url = await start(async () => ({
      statusCode: 200,
      body: (async function* () {
        yield 'first';
        await new Promise<void>((resolve) => (goOn = resolve));
        yield 'second';
      })(),
    }));
    const reader = (await fetch(url)).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe('first');
    goOn();
    expect(await read()).toBe('second');
    expect((await reader?.read())?.done).toBe(true);
  });

  test('the handler is told when the caller goes away, and nothing is reported', async () => {
    let aborted: Promise<void> | undefined;
    let arrived = () => {};
    const waiting = new Promise<void>((resolve) => (arrived = resolve));
    const url = await start(async (_event, signal) => {
      aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      arrived();
      await aborted;
      return ok();
    });
    const leave = new AbortController();
    const gone = fetch(url, { signal: leave.signal }).catch(() => 'gone');
    await waiting;
    leave.abort();
    expect(await gone).toBe('gone');
    await aborted;
    expect(errors).toEqual([]);
  });
});

describe('what is not a request for the function is refused with a JSON error, never a crash', () => {
  test('a handler that throws: 500 without its text', async () => {
    const url = await start(async () => {
      throw new Error('secret detail');
    });
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: { code: 500, status: 'INTERNAL', message: 'Internal error.' } },
    ]);
    expect(errors).toHaveLength(1);
  });

  test.each(['/%E0%A4%A', '/tasks?x=%ZZ', '/%'])('a malformed address: 400 (%s)', async (path) => {
    const url = await start(ok);
    const { status, body } = await rawGet(url, path);
    expect([status, JSON.parse(body)]).toEqual([
      400,
      { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The address is not well-formed.' } },
    ]);
    expect(events).toEqual([]);
  });

  test('more than API Gateway takes: 413, although the caller is still sending', async () => {
    const url = await start(ok);
    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: { code: 413, status: 'INVALID_ARGUMENT', message: 'The request is larger than 10485760 bytes.' } },
    ]);
    const streamed = await fetch(url, {
      method: 'POST',
      body: new Blob([Buffer.alloc(6 * 1024 * 1024), Buffer.alloc(6 * 1024 * 1024)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    expect(events).toEqual([]);
  });

  test('what is not HTTP: 400', async () => {
    const url = await start(ok);
    expect(await rawSend(url, 'NOT HTTP AT ALL\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"The request is not HTTP\."/,
    );
  });

  test('another Host than loopback: 421, so that no web page can reach an open local server', async () => {
    const url = await start(ok);
    const answer = await rawSend(url, 'GET / HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(events).toEqual([]);
  });
});

describe('addresses and ports', () => {
  test('127.0.0.1 and localhost answer', async () => {
    await start(ok);
    expect((await fetch(`http://127.0.0.1:${server.port}`)).status).toBe(200);
    expect((await fetch(`http://localhost:${server.port}`)).status).toBe(200);
  });

  test('a port in use is one clear line', async () => {
    await start(ok);
    await expect(startHttpServer({ port: server.port, handle: ok, onError: () => {} })).rejects.toThrow(
      `Port ${server.port} is in use. Choose another, beside the options you gave, as in --port ${server.port + 10}.`,
    );
  });
});

async function rawGet(url: string, path: string): Promise<{ status: number; body: string }> {
  const answer = await rawSend(url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return { status: Number(answer.slice(9, 12)), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
}

function rawSend(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk)).on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}
