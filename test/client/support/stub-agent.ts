/** An agent on loopback that says, byte for byte, what a test wants: what no decent agent would send. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../client/index.ts';

/** What comes back for one request. */
export type StubReply =
  | { readonly result: unknown }
  | { readonly error: JsonObject }
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  /** Events as results on one stream, which then ends properly, breaks in the middle of an event, or says nothing more. */
  | { readonly events: readonly unknown[]; readonly then?: 'end' | 'break' | 'silence' }
  /** The response as it is wanted. */
  | ((response: ServerResponse) => void);

export interface StubRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** How many requests of this method there were, this one included. */
  readonly n: number;
}

export interface StubAgent {
  readonly url: string;
  readonly requests: StubRequest[];
  /** The methods of the requests, in order. */
  methods(): string[];
  stop(): Promise<void>;
}

export interface StubOptions {
  /** Over what the card says by default. */
  readonly card?: JsonObject;
  readonly streaming?: boolean;
  readonly extensions?: readonly JsonObject[];
  /** What the card names; the answers are the test's business. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
}

export async function startStubAgent(
  answer: (request: StubRequest) => StubReply | Promise<StubReply>,
  { card = {}, streaming = false, extensions = [], binding = 'JSONRPC' }: StubOptions = {},
): Promise<StubAgent> {
  const requests: StubRequest[] = [];
  let url = '';
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: '1.0' }];
      const capabilities = { streaming, extensions };
      return json(response, { name: 'Stub', supportedInterfaces, capabilities, skills: [], ...card });
    }
    const { id, method, params } = JSON.parse(await bodyOf(request)) as {
      id: number;
      method: string;
      params: JsonObject;
    };
    const one = { method, params, n: requests.filter((before) => before.method === method).length + 1 };
    requests.push(one);
    write(response, id, await answer(one));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    methods: () => requests.map(({ method }) => method),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function write(response: ServerResponse, id: number, reply: StubReply): void {
  if (typeof reply === 'function') return reply(response);
  if ('status' in reply) return void response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
  if ('result' in reply) return json(response, { jsonrpc: '2.0', id, result: reply.result });
  if ('error' in reply) return json(response, { jsonrpc: '2.0', id, error: reply.error });
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const result of reply.events) {
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  }
  if (reply.then === 'silence') return;
  if (reply.then !== 'break') return void response.end();
  response.write('data: {"jsonrpc":"2.0","id":', () => response.destroy());
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** A task as it stands on the wire. */
export function stubTask(state: string, parts: readonly unknown[] = [], more: JsonObject = {}): JsonObject {
  const message = {
    messageId: 'm-1',
    role: 'ROLE_AGENT',
    parts,
    ...((more.message as JsonObject) ?? {}),
  } as JsonObject;
  const { message: _message, ...others } = more;
  return { id: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}`, message }, ...others };
}

export function questionParts(data: JsonObject = {}, text = 'Which city?'): JsonObject[] {
  const answerSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return [{ text }, { data: { questionId: 'q-1', answerSchema, ...data }, mediaType: 'application/json' }];
}

export const QUESTION_EXTENSION = { uri: 'https://askback.dev/a2a/extensions/question/v1' };
