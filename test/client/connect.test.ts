/** Who calls is told to the agent that was meant, and to nobody else that its card names. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../client/index.ts';

let server: Server;
let origin: string;
let elsewhere: string;
const heard: { host: string | undefined; path: string | undefined; authorization: string | undefined }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const { host, authorization } = request.headers;
    heard.push({ host, path: request.url, authorization });
    response.setHeader('Content-Type', 'application/json');
    if (request.url === '/moves' && request.method === 'POST')
      return response.writeHead(307, { Location: `${elsewhere}/there` }).end();
    if (request.method === 'POST')
      return response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}');
    const url = request.url?.startsWith('/away')
      ? elsewhere
      : request.url?.startsWith('/moves')
        ? `${origin}/moves`
        : origin;
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    return response.end(JSON.stringify({ name: 'A', capabilities: {}, supportedInterfaces, skills: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  elsewhere = `http://localhost:${port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const get = { id: 't', tenant: '', historyLength: 0 };

test('a bearer token goes along with the card and every call, newly asked for each time', async () => {
  heard.length = 0;
  let n = 0;
  const client = await connect(`${origin}/path`, { bearer: async () => `token-${++n}` });
  await expect(client.getTask(get)).rejects.toThrow();
  expect(heard.map(({ path, authorization }) => [path, authorization])).toEqual([
    ['/path/.well-known/agent-card.json', 'Bearer token-1'],
    ['/', 'Bearer token-2'],
  ]);
});

test('an address elsewhere on the card gets no token, unless its origin is named', async () => {
  heard.length = 0;
  const headers = { authorization: 'Bearer secret' };
  await (await connect(`${origin}/away`, { headers })).getTask(get).catch(() => {});
  await (await connect(`${origin}/away`, { headers, origins: [elsewhere] })).getTask(get).catch(() => {});
  const away = heard.filter(({ host }) => host?.startsWith('localhost'));
  expect(away.map(({ authorization }) => authorization)).toEqual([undefined, 'Bearer secret']);
});

test('what is said to an agent is not carried on to where it points', async () => {
  heard.length = 0;
  for (const options of [{}, { bearer: 'token' }]) {
    await expect((await connect(`${origin}/moves`, options)).getTask(get)).rejects.toThrow();
  }
  expect(heard.map(({ path }) => path)).toEqual(Array(2).fill(['/moves/.well-known/agent-card.json', '/moves']).flat());
});
