/** A sub-agent over HTTP that does its worst: what it may cost this agent is bounded, and every end is a clear one. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { remoteAgent } from '../../agent/index.ts';

const signal = new AbortController().signal;
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Answer = (request: IncomingMessage, response: ServerResponse, url: string) => void;

async function server(answer: Answer): Promise<string> {
  const http = createServer((request, response) => {
    answer(request, response, `http://localhost:${(http.address() as AddressInfo).port}`);
  }).listen(0, 'localhost');
  await once(http, 'listening');
  stops.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return `http://localhost:${(http.address() as AddressInfo).port}`;
}

function cardOf(url: string) {
  return {
    name: 'Hostile',
    description: 'Hostile.',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}

function json(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

/** An agent at `base` whose card says that it is called at `named`, without a network; and what was asked of it. */
function remoteAt(base: string, named: string) {
  const asked: string[] = [];
  const answers: typeof fetch = async (input) => {
    asked.push(String(input));
    return Response.json(asked.length === 1 ? cardOf(named) : {});
  };
  return { remote: remoteAgent(base, { fetch: answers }), asked };
}

/** A good card, and one way of answering everything else. */
function afterCard(answer: Answer): Promise<string> {
  return server((request, response, url) => {
    if (request.url?.endsWith('agent-card.json')) return json(response, cardOf(url));
    return answer(request, response, url);
  });
}

describe('the card of a sub-agent', () => {
  it('that never comes is not waited for longer than for any other answer', async () => {
    const url = await server(() => undefined);
    await expect(remoteAgent(url, { timeoutMs: 50 }).get('t', signal)).rejects.toMatchObject({ retryable: true });
  }, 3_000);

  it('that comes drop by drop is left after the timeout as well', async () => {
    const url = await server((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drops = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drops));
    });
    await expect(remoteAgent(url, { timeoutMs: 50 }).get('t', signal)).rejects.toMatchObject({ retryable: true });
  }, 3_000);

  it('that cannot be used is read anew the next time', async () => {
    let reads = 0;
    const url = await server((request, response, at) => {
      if (!request.url?.endsWith('agent-card.json'))
        return json(response, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'x' } });
      reads++;
      return json(
        response,
        reads === 1
          ? {
              ...cardOf(at),
              supportedInterfaces: [{ url: at, protocolBinding: 'CARRIER-PIGEON', protocolVersion: '9.0' }],
            }
          : cardOf(at),
      );
    });
    const remote = remoteAgent(url);
    await expect(remote.get('t', signal)).rejects.toMatchObject({ retryable: true });
    await expect(remote.get('t', signal)).rejects.toMatchObject({ retryable: false });
    expect(reads).toBe(2);
  }, 3_000);

  it.each([
    'http://169.254.169.254/latest',
    'https://10.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://metadata.internal/',
    'http://localhost:8080/',
    'http://expenses.example.org/',
  ])('that of a public agent that leads to %s is not followed there', async (inner) => {
    const { remote, asked } = remoteAt('https://expenses.example.com', inner);
    await expect(remote.get('t', signal)).rejects.toMatchObject({
      retryable: false,
      message: 'its card names an address that is neither its own nor a public https address',
    });
    expect(asked).toEqual(['https://expenses.example.com/.well-known/agent-card.json']);
  });

  it.each([
    ['https://expenses.example.com', 'https://api.example.org/a2a'],
    ['https://expenses.example.com', 'https://expenses.example.com:8443/a2a'],
    ['http://expenses.internal:8080', 'http://gateway.internal:9090/a2a'],
    ['http://localhost:8080', 'http://localhost:9090/a2a'],
  ])('of %s may name %s', async (base, other) => {
    const { remote, asked } = remoteAt(base, other);
    await remote.get('t', signal).catch(() => undefined);
    expect(asked).toEqual([`${base}/.well-known/agent-card.json`, other]);
  });

  it('that is endless is not read to its end', async () => {
    let sent = 0;
    const url = await server((_request, response) => endless(response, (bytes) => (sent += bytes)));
    await expect(remoteAgent(url, { timeoutMs: 5_000 }).get('t', signal)).rejects.toMatchObject({
      retryable: false,
      message: 'its answer has more than 6144000 bytes',
    });
    expect(sent).toBeLessThan(50_000_000);
  });
});

describe('an answer of a sub-agent', () => {
  it('that is endless is not read to its end', async () => {
    let sent = 0;
    const url = await afterCard((_request, response) => endless(response, (bytes) => (sent += bytes)));
    await expect(remoteAgent(url, { timeoutMs: 5_000 }).get('t', signal)).rejects.toMatchObject({
      retryable: false,
      message: 'its answer has more than 6144000 bytes',
    });
    expect(sent).toBeLessThan(50_000_000);
  });

  it('that comes drop by drop is left after the timeout', async () => {
    const url = await afterCard((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drops = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drops));
    });
    await expect(remoteAgent(url, { timeoutMs: 50 }).get('t', signal)).rejects.toMatchObject({ retryable: true });
  }, 3_000);

  it('that never ends is left after the timeout although garbage is collected meanwhile', async () => {
    const url = await afterCard((_request, response) => void response.writeHead(200).write(' '));
    const collecting = setInterval(collectGarbage, 5);
    stops.push(async () => clearInterval(collecting));
    await expect(remoteAgent(url, { timeoutMs: 100 }).get('t', signal)).rejects.toMatchObject({ retryable: true });
  }, 3_000);
});

/** V8's own, which Node shows only when it is told to. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A string without an end, as fast as it is taken. */
function endless(response: ServerResponse, told: (bytes: number) => void): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('"');
  const chunk = 'x'.repeat(100_000);
  const more = (): void => {
    if (response.destroyed) return;
    told(chunk.length);
    response.write(chunk, () => setImmediate(more));
  };
  more();
}
