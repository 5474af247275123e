/** The wire with hand-made operations: nothing behind it touches a store. */
import type { Task } from '../../../core/message.ts';
import type { Deps } from '../../../core/ports.ts';
import type { CardFacts } from '../../../core/wire/card.ts';
import { type WireContext, wireContext } from '../../../core/wire/context.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import type { HttpRequest } from '../../../core/wire/http.ts';
import type { TaskOperations, WireOperation } from '../../../core/wire/operations.ts';

export const TASK: Task = {
  id: 'task1',
  contextId: 'ctx1',
  status: {
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: '2026-11-30T10:00:00.000Z',
    message: {
      messageId: 'q-task1-1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'ROLE_AGENT',
      parts: [
        { text: 'Which cost centre?' },
        { data: { questionId: 'q-task1-1', attempt: 1, ok: false, none: null }, mediaType: 'application/json' },
      ],
      extensions: ['https://askback.dev/a2a/extensions/question/v1'],
    },
  },
  artifacts: [{ artifactId: 'a1', name: 'receipt', parts: [{ raw: 'aGVsbG8=', mediaType: 'image/png' }] }],
  history: [{ messageId: 'm1', contextId: 'ctx1', taskId: 'task1', role: 'ROLE_USER', parts: [{ text: 'hello' }] }],
  metadata: { generation: 2 },
};

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error' | 'count';
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

export interface FakeDeps extends Deps {
  readonly lines: LogLine[];
}

/** A port that must not be touched. */
function untouched<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_target, key) => {
      throw new Error(`${name}.${String(key)} must not be used here`);
    },
  });
}

export function fakeDeps(): FakeDeps {
  const lines: LogLine[] = [];
  const logger = (level: LogLine['level']) => (message: string, fields?: Record<string, unknown>) => {
    lines.push({ level, message, fields });
  };
  return {
    lines,
    store: untouched('store'),
    queue: untouched('queue'),
    deadlines: untouched('deadlines'),
    clock: untouched('clock'),
    ids: untouched('ids'),
    cipher: untouched('cipher'),
    signer: untouched('signer'),
    wake: untouched('wake'),
    log: {
      info: logger('info'),
      warn: logger('warn'),
      error: logger('error'),
      count: logger('count'),
      measure: () => undefined,
    },
    agent: {
      name: 'expense-agent',
      card: {
        name: 'Expense agent',
        description: 'Files expenses',
        version: '1.2.3',
        skills: [{ id: 'file', name: 'File', description: 'Files one expense', tags: ['expense'] }],
        provider: { organization: 'Example', url: 'https://example.com' },
      },
      settings: { idempotency: 'on', onMessage: 'reject' },
      run: async () => {},
    },
  };
}

/** A stream whose only event is the task. */
async function* onlyTask(): AsyncGenerator<{ readonly event: { readonly task: Task } }, void, undefined> {
  yield { event: { task: TASK } };
}

export interface Wired {
  readonly deps: FakeDeps;
  readonly context: WireContext;
  /** Every call of an operation: its name and the request it was given. */
  readonly calls: [name: string, request: unknown][];
}

export function wired(
  fakes: Partial<TaskOperations> = {},
  operations?: readonly WireOperation[],
  facts?: Partial<CardFacts>,
): Wired {
  const deps = fakeDeps();
  const calls: Wired['calls'] = [];
  const tasks: TaskOperations = {
    sendMessage: async (...args) => {
      calls.push(['sendMessage', args[2]]);
      return fakes.sendMessage ? fakes.sendMessage(...args) : { task: TASK };
    },
    streamMessage: async (...args) => {
      calls.push(['streamMessage', args[2]]);
      return fakes.streamMessage ? fakes.streamMessage(...args) : onlyTask();
    },
    subscribeToTask: async (...args) => {
      calls.push(['subscribeToTask', args[2]]);
      return fakes.subscribeToTask ? fakes.subscribeToTask(...args) : onlyTask();
    },
    getTask: async (...args) => {
      calls.push(['getTask', args[2]]);
      return fakes.getTask ? fakes.getTask(...args) : TASK;
    },
    listTasks: async (...args) => {
      calls.push(['listTasks', args[2]]);
      if (fakes.listTasks) return fakes.listTasks(...args);
      return { tasks: [TASK], nextPageToken: '', pageSize: 50, totalSize: 1 };
    },
    cancelTask: async (...args) => {
      calls.push(['cancelTask', args[2]]);
      return fakes.cancelTask ? fakes.cancelTask(...args) : TASK;
    },
  };
  return { deps, calls, context: wireContext(deps, tasks, operations, facts) };
}

export function httpRequest(over: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    path: '/',
    query: {},
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
    body: undefined,
    owner: { tenant: 'acme', principal: 'alice' },
    baseUrl: 'https://agent.example.com/prod',
    requestId: 'req-1',
    waitMs: 25_000,
    ...over,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

export async function answer(wire: Wired, over: Partial<HttpRequest>): Promise<Answer> {
  const { status, headers, body } = await handleHttp(httpRequest(over), wire.context);
  let text = '';
  if (typeof body === 'string') text = body;
  else for await (const chunk of body) text += chunk;
  const isJson = headers['content-type']?.endsWith('json') && text !== '';
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** One JSON-RPC call; `params` undefined leaves the member out. */
export function rpc(wire: Wired, method: string, params?: unknown, over: Partial<HttpRequest> = {}): Promise<Answer> {
  return answer(wire, { body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), ...over });
}

/** One HTTP+JSON call. */
export function rest(
  wire: Wired,
  method: string,
  path: string,
  body?: unknown,
  over: Partial<HttpRequest> = {},
): Promise<Answer> {
  return answer(wire, { method, path, body: body === undefined ? undefined : JSON.stringify(body), ...over });
}

export const MESSAGE = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;
