/** Another agent at an address: the official client against a runtime of ours, and against servers that misbehave. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { remoteAgent } from '../../agent/remote-agent.ts';
import { SubAgentError } from '../../agent/sub-agent.ts';
import type { Message } from '../../core/message.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

const { signal } = new AbortController();
const message = (messageId: string, text = 'hello'): Message => ({ messageId, role: 'ROLE_USER', parts: [{ text }] });

const asking = defineAgent({
  card: {
    name: 'Asking agent',
    description: 'Asks once.',
    version: '1',
    skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
  },
  reply: ({ parts }) => (parts[0]?.text === 'ping' ? 'pong' : undefined),
  async run(turn) {
    await turn.ask('go-on', { text: 'Shall I go on?', schema: { type: 'boolean' } });
  },
});

it.each([
  ['an address that is none', 'ftp://x', {}, 'remoteAgent: ftp://x is not an http or https address'],
  ['an unknown option', 'https://a.example.com', { timeout: 5 }, 'remoteAgent: "timeout" is not an option'],
])('refuses %s', (_what, url, options, message) => {
  expect(() => remoteAgent(url, options as object)).toThrow(new TypeError(message));
});

describe('remoteAgent, to an agent that answers', () => {
  let data: string;
  let runtime: Runtime;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'askback-remote-'));
    runtime = await startRuntime({ port: 0, data, agent: asking, log: new QuietLog() });
  });
  afterAll(async () => {
    await runtime.stop();
    await rm(data, { recursive: true, force: true });
  });

  it('sends without waiting, sends again without effect, reads and cancels', async () => {
    const remote = remoteAgent(runtime.url);
    const begun = await remote.send(message('m-1'), { signal });
    if (!('task' in begun)) throw new Error('no task');
    const again = await remote.send(message('m-1'), { signal });
    expect('task' in again && again.task.id).toBe(begun.task.id);
    let task = await remote.get(begun.task.id, signal);
    while (task.status.state !== 'TASK_STATE_INPUT_REQUIRED') task = await remote.get(begun.task.id, signal);
    expect(task.status.message?.parts[1]?.data).toMatchObject({ answerSchema: { required: ['value'] } });
    expect(task.history).toBeUndefined();
    await remote.cancel(task.id, signal);
    expect((await remote.get(task.id, signal)).status.state).toBe('TASK_STATE_CANCELED');
    // Once more, and what is not there: there is nothing left to cancel.
    await remote.cancel(task.id, signal);
    await remote.cancel('aaaaaaaaaaaaaaaaaaaaaaaaaa', signal);
  });

  it('gives a message where the agent answers at once', async () => {
    const reply = await remoteAgent(runtime.url).send(message('m-2', 'ping'), { signal });
    expect(reply).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'pong' }] } });
  });

  it('knows by the card whether it tells of changes', async () => {
    expect(await remoteAgent(runtime.url).pushes?.(signal)).toBe(true);
  });

  it('tells what the agent refused from what may go well later', async () => {
    const remote = remoteAgent(runtime.url);
    await expect(remote.get('aaaaaaaaaaaaaaaaaaaaaaaaaa', signal)).rejects.toMatchObject({ retryable: false });
    await expect(remote.send({ ...message('m-3'), taskId: 'nope' }, { signal })).rejects.toMatchObject({
      name: 'SubAgentError',
      retryable: false,
    });
    await expect(remote.send(message('m-4'), { signal, pushUrl: 'ftp://nowhere' })).rejects.toMatchObject({
      retryable: false,
    });
  });

  it('shows a token to the agent’s own origin only', async () => {
    const seen: [string, string | null][] = [];
    const remote = remoteAgent(runtime.url, {
      headers: async () => ({ authorization: 'Bearer alice-token' }),
      fetch: async (input, init) => {
        seen.push([new URL(String(input)).origin, new Headers(init?.headers).get('authorization')]);
        return fetch(input, init);
      },
    });
    await remote.send(message('m-5'), { signal });
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(new Set(seen.map(([origin, token]) => `${origin} ${token}`))).toEqual(
      new Set([`${runtime.url} Bearer alice-token`]),
    );
    await expect(
      remote.authorize?.('https://evil.example/callbacks/auth/1/2/3', { token: 'x' }, signal),
    ).rejects.toMatchObject({ retryable: false });
    expect(seen.some(([origin]) => origin.includes('evil'))).toBe(false);
  });

  it.each([
    ['a line break', { authorization: 'Bearer tok-4711\nx' }],
    ['a name that is none', { 'tok-4711: x': 'y' }],
  ])('does not repeat a token that cannot be sent: %s', async (_what, headers) => {
    const error: unknown = await remoteAgent(runtime.url, { headers })
      .get('t', signal)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'SubAgentError',
      retryable: true,
      message: 'the headers that remoteAgent was given cannot be sent',
    });
    expect(inspect(error, { depth: 9 })).not.toContain('tok-4711');
  });

  it('asks for its card again when it was away', async () => {
    const remote = remoteAgent(runtime.url, { fetch: flaky(1) });
    await expect(remote.get('x', signal)).rejects.toMatchObject({ retryable: true });
    await expect(remote.get('x', signal)).rejects.toMatchObject({ retryable: false });
  });
});

/** Fails so often, as a network does. */
function flaky(failures: number): typeof fetch {
  let left = failures;
  return async (input, init) => {
    if (left-- > 0) throw new TypeError('fetch failed');
    return fetch(input, init);
  };
}

describe('remoteAgent, to a server that misbehaves', () => {
  let stop: () => Promise<unknown> = async () => undefined;
  afterEach(() => stop());

  /** A card, and one answer to everything else. */
  async function server(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const http = createServer((request, response) => {
      if (!request.url?.endsWith('agent-card.json')) return answer(request, response);
      const { port } = http.address() as AddressInfo;
      const url = `http://localhost:${port}`;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          ...asking.card,
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          capabilities: {},
          defaultInputModes: ['text/plain'],
          defaultOutputModes: ['text/plain'],
        }),
      );
    }).listen(0, 'localhost');
    await once(http, 'listening');
    stop = () => {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(resolve));
    };
    return `http://localhost:${(http.address() as AddressInfo).port}`;
  }

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [408, true],
    [401, false],
    [403, false],
    [404, false],
  ])('status %d is retryable: %s; when a task is only looked at it always is', async (status, retryable) => {
    const url = await server((_request, response) => response.writeHead(status).end('<html>no</html>'));
    const remote = remoteAgent(url);
    const first = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } as const;
    await expect(remote.send(first, { signal })).rejects.toMatchObject({ name: 'SubAgentError', retryable });
    // A token that has run out, or a gateway between two deployments: no reason to cancel what has run for a week.
    await expect(remote.get('t', signal)).rejects.toMatchObject({ name: 'SubAgentError', retryable: true });
  });

  it.each([
    ['an internal error', { error: { code: -32603, message: 'oops' } }, true],
    ['invalid params', { error: { code: -32602, message: 'no' } }, false],
    ['no such method', { error: { code: -32601, message: 'no' } }, false],
  ])('%s over JSON-RPC is retryable: %s', async (_what, body, retryable) => {
    const url = await server((request, response) => {
      let given = '';
      request.on('data', (chunk: Buffer) => (given += chunk));
      request.on('end', () => {
        const { id } = JSON.parse(given) as { id: unknown };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
      });
    });
    await expect(remoteAgent(url).get('t', signal)).rejects.toMatchObject({ retryable });
  });

  it('a server that says nothing is left after the timeout', async () => {
    const url = await server(() => undefined);
    await expect(remoteAgent(url, { timeoutMs: 50 }).get('t', signal)).rejects.toMatchObject({ retryable: true });
  });

  it('a redirect is not followed, with a token or without', async () => {
    const url = await server((_request, response) =>
      response.writeHead(302, { location: 'http://localhost:1/' }).end(),
    );
    await expect(remoteAgent(url).get('t', signal)).rejects.toBeInstanceOf(SubAgentError);
  });

  it('nobody at the address is retryable; what is no address is a mistake at once', async () => {
    await expect(remoteAgent('http://localhost:1').get('t', signal)).rejects.toMatchObject({ retryable: true });
    expect(() => remoteAgent('expenses')).toThrow(TypeError);
    expect(() => remoteAgent('file:///etc/passwd')).toThrow(TypeError);
  });
});
