/** Raw bytes on the local server: every answer is whole, says what is wrong, and is never a 500 (R26, R90). */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

const log = new QuietLog();
let data: string;
let runtime: Runtime;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-hostile-'));
  const skill = { id: 's', name: 'Skill', description: 'Does it.', tags: [] };
  const card = { name: 'Hostile', description: 'Is attacked.', version: '1', skills: [skill] };
  const agent = defineAgent({ card, run: async (turn) => void (await turn.ask('a', { text: 'A?' })) });
  runtime = await startRuntime({ port: 0, data, agent, log, env: {} });
});
afterAll(async () => {
  await runtime.stop();
  await rm(data, { recursive: true, force: true });
});

/** Everything that comes back on one connection until the server closes it. */
function raw(...pieces: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    let all = '';
    const socket = connect(Number(new URL(runtime.url).port), '127.0.0.1');
    socket.on('data', (chunk) => {
      all += chunk.toString();
    });
    socket.on('close', () => resolve(all)).on('error', () => resolve(all));
    for (const piece of pieces) socket.write(piece);
  });
}

/** The server's side of the next request on this connection, once its head has been read: Node says so on a channel. */
function requestOf(socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const begun = (message: unknown) => {
      const { request } = message as { readonly request: IncomingMessage };
      if (request.socket.remotePort !== socket.localPort) return;
      unsubscribe(STARTED, begun);
      resolve(request);
    };
    subscribe(STARTED, begun);
  });
}

const STARTED = 'http.server.request.start';

const HEAD = 'Host: localhost\r\nA2A-Version: 1.0\r\n';
const post = (body: string | Buffer, more = '') =>
  raw(
    `POST / HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n${more}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    body,
  );
const get = (path: string) => raw(`GET ${path} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
const send = (parts: string, more = '') =>
  `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m-${parts.length}-${more.length}","role":"ROLE_USER","parts":${parts}${more}},"configuration":{"returnImmediately":true}}}`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('hostile requests', () => {
  it.each<[string, () => Promise<string>, number, string]>([
    ['a task id of NUL', () => get('/tasks/%00'), 400, 'must not contain control characters'],
    ['a slash in the task id', () => get('/tasks/a%2Fb'), 404, 'Task not found: a/b'],
    ['dots', () => get('/tasks/..'), 404, 'Task not found: ..'],
    ['a broken escape', () => get('/tasks/%E0%A4%A'), 400, 'not well-formed'],
    ['a tenant of __proto__', () => get('/__proto__/tasks/x'), 400, 'is not the tenant of this caller'],
    ['a body that is nested 2,000,000 deep', () => post(send(`[{"data":${nested(2_000_000)}}]`)), 200, 'nested deeper'],
    ['half a surrogate', () => post(send('[{"text":"\\udfff"}]')), 200, 'well-formed Unicode'],
    ['a prototype in the data', () => post(send('[{"data":{"a":{"__proto__":1}}}]')), 200, '__proto__'],
    ['a number without end', () => post(send('[{"data":{"n":1e400}}]')), 200, 'too large'],
    ['compressed bytes', () => post(gzipSync(send('[]')), 'Content-Encoding: gzip\r\n'), 200, 'not valid UTF-8'],
    ['UTF-16', () => post(Buffer.from(send('[]'), 'utf16le')), 200, 'not valid JSON'],
    ['101 parts', () => post(send(`[${'{"text":"x"},'.repeat(100)}{"text":"x"}]`)), 200, 'more than 100 parts'],
    ['7 MB', () => post(send(`[{"text":"${'x'.repeat(7_000_000)}"}]`)), 413, 'larger than 5632000 bytes'],
    ['another host', () => raw('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'), 421, 'localhost'],
    [
      'two lengths',
      () => raw(`POST / HTTP/1.1\r\n${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      400,
      'not HTTP',
    ],
  ])('%s', async (_what, request, status, says) => {
    const response = await request();
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(body).toContain(says);
    expect(() => JSON.parse(body) as unknown).not.toThrow();
  });

  /** Of a send, in both versions' spellings. `@` is where the nested value stands. */
  const PARAMS = [
    '@',
    '{"message":@}',
    '{"metadata":{"a":@},"strange":@,"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}',
    '{"configuration":@,"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}',
    '{"message":{"messageId":"m","role":"ROLE_USER","metadata":{"a":@},"extensions":@,"parts":[{"text":"x"}]}}',
    '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","metadata":{"a":@}}]}}',
    ...[
      '@',
      '{"kind":"data","data":{"a":@}}',
      '{"kind":"file","file":@}',
      '{"kind":"text","text":"x","metadata":@}',
    ].map((part) => `{"message":{"messageId":"m","role":"user","kind":"message","parts":[${part}]}}`),
  ];
  const rpc = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":${method},"params":${params}}`;
  const REQUESTS = [
    ['/', '{"jsonrpc":"2.0","id":@,"method":"SendMessage","params":{}}'],
    ['/', rpc('@', '{}')],
    ...['"tasks/get"', '"ListTasks"'].map((method) => ['/', rpc(method, '{"id":@,"status":@}')]),
    ...['"tasks/pushNotificationConfig/set"', '"CreateTaskPushNotificationConfig"'].map((method) => [
      '/',
      rpc(method, '{"taskId":"t","url":"https://a.example","authentication":@,"pushNotificationConfig":{"id":@}}'),
    ]),
    ...PARAMS.flatMap((params) => [
      ...['"SendMessage"', '"SendStreamingMessage"', '"message/send"'].map((method) => ['/', rpc(method, params)]),
      ...['/message:send', '/v1/message:send'].map((path) => [path, params]),
    ]),
  ] as [string, string][];

  it.each(['1.0', '0.3'])(
    'a value nested 20,000 deep is a mistake of the caller, wherever it is: %s',
    async (version) => {
      for (const [path, place] of REQUESTS) {
        for (const deep of [nested(20_000), `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`]) {
          const body = place.replaceAll('@', deep);
          const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nA2A-Version: ${version}\r\nConnection: close\r\n`;
          const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
          const response = await raw(head + length, body);
          expect(response, `${path} ${place}`).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
          expect(response, `${path} ${place}`).not.toMatch(/-32603|INTERNAL/);
        }
      }
      expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('5 MB in 100 parts is taken, and told back as far as one response can carry', async () => {
    const response = await post(
      send(JSON.stringify(Array.from({ length: 100 }, () => ({ text: 'x'.repeat(52_000) })))),
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('"task":{"id":"');
  });

  it('requests on one connection are answered in their order', async () => {
    const body = send('[{"text":"pipelined"}]');
    const first = `POST / HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const all = await raw(`${first}GET /tasks/x HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it('a body that is cut off leaves the server as it was, and is no error of ours', async () => {
    const socket = connect(Number(new URL(runtime.url).port), '127.0.0.1');
    const begun = requestOf(socket);
    socket.write(`POST / HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"`);
    const request = await begun;
    const cut = new Promise((resolve) => request.once('close', resolve));
    socket.destroy();
    await cut;
    expect(request.complete).toBe(false);
    expect(await get('/tasks/x')).toContain('Task not found');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
