/** Both bindings of A2A 1.0 behind one interface, spoken by hand, so that a scenario sees what is on the wire. */
import type { Message, Task } from '../../../core/message.ts';

export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type Binding = (typeof BINDINGS)[number];

export interface Configuration {
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
}

/** What came back, in one shape for both bindings. */
export interface Reply {
  readonly status: number;
  readonly task?: Task;
  readonly error?: WireError;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly reason: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly { readonly field: string; readonly description: string }[];
}

export interface Wire {
  send(message: Message, configuration?: Configuration): Promise<Reply>;
  get(id: string, historyLength?: number): Promise<Reply>;
  cancel(id: string): Promise<Reply>;
  /** A body of SendMessage as it stands, with other headers if need be. */
  raw(body: string, headers?: Record<string, string>): Promise<Reply>;
  /** The body of SendMessage for this binding. */
  body(message: unknown, configuration?: Configuration): string;
}

export function wire(binding: Binding, url: string, user: Record<string, string> = {}): Wire {
  return binding === 'JSONRPC' ? jsonRpc(url, user) : httpJson(url, user);
}

const VERSION = { 'A2A-Version': '1.0' };
const JSON_BODY = { 'Content-Type': 'application/json' };

function jsonRpc(url: string, user: Record<string, string>): Wire {
  const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const call = (body: string, headers: Record<string, string> = {}) =>
    reply(fetch(url, { method: 'POST', headers: { ...VERSION, ...JSON_BODY, ...user, ...headers }, body }));
  const body = (message: unknown, configuration?: Configuration) => rpc('SendMessage', { message, configuration });
  return {
    body,
    raw: call,
    send: (message, configuration) => call(body(message, configuration)),
    get: (id, historyLength) => call(rpc('GetTask', { id, historyLength })),
    cancel: (id) => call(rpc('CancelTask', { id })),
  };
}

function httpJson(url: string, user: Record<string, string>): Wire {
  const headers = { ...VERSION, ...user };
  const post = (path: string, body: string, more: Record<string, string> = {}) =>
    reply(fetch(`${url}${path}`, { method: 'POST', headers: { ...headers, ...JSON_BODY, ...more }, body }));
  const body = (message: unknown, configuration?: Configuration) => JSON.stringify({ message, configuration });
  return {
    body,
    raw: (text, more) => post('/message:send', text, more),
    send: (message, configuration) => post('/message:send', body(message, configuration)),
    get: (id, historyLength) =>
      reply(
        fetch(`${url}/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`, { headers }),
      ),
    cancel: (id) => post(`/tasks/${id}:cancel`, '{}'),
  };
}

interface Detail {
  readonly '@type': string;
  readonly reason?: string;
  readonly metadata?: Record<string, string>;
  readonly fieldViolations?: WireError['violations'];
}

async function reply(pending: Promise<Response>): Promise<Reply> {
  const response = await pending;
  const answer = (await response.json()) as {
    readonly result?: { readonly task?: Task } & Task;
    readonly task?: Task;
    readonly id?: string | number;
    readonly error?: { code: number; message: string; details?: readonly Detail[]; data?: readonly Detail[] };
  };
  const { status } = response;
  if (answer.error) return { status, error: errorOf(answer.error) };
  const task = answer.result ? (answer.result.task ?? answer.result) : (answer.task ?? (answer as unknown as Task));
  return { status, task };
}

function errorOf(error: {
  code: number;
  message: string;
  details?: readonly Detail[];
  data?: readonly Detail[];
}): WireError {
  const details = error.details ?? error.data ?? [];
  const info = details.find((detail) => detail['@type'].endsWith('google.rpc.ErrorInfo'));
  const bad = details.find((detail) => detail['@type'].endsWith('google.rpc.BadRequest'));
  return {
    code: error.code,
    message: error.message,
    reason: info?.reason,
    metadata: info?.metadata ?? {},
    violations: bad?.fieldViolations ?? [],
  };
}
