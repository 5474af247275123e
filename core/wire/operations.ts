/**
 * The one table of A2A operations: name, routes, check, run. Both bindings read it, so an operation is added here and
 * nowhere else (A2A 1.0 section 5.3). What this agent does not offer has a row too, because it has its own error.
 */
import { ProtocolError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { Message, Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { CancelTaskRequest, GetTaskRequest, SendMessageRequest } from '../requests.ts';
import { checkCancelTask, checkGetTask, checkSendMessage } from './check-request.ts';
import { fitMessage, fitTask } from './fit.ts';
import type { StreamEvent } from './stream.ts';

/** What core/operations/ offers; handed in, so that the wire can be tested without a store. */
export interface TaskOperations {
  sendMessage(
    deps: Deps,
    owner: Owner,
    request: SendMessageRequest,
    options?: { waitMs?: number; signal?: AbortSignal },
  ): Promise<{ task: Task } | { message: Message }>;
  getTask(deps: Deps, owner: Owner, request: GetTaskRequest): Promise<Task>;
  cancelTask(deps: Deps, owner: Owner, request: CancelTaskRequest): Promise<Task>;
}

/** One authenticated call, the same for both bindings. */
export interface Call {
  readonly deps: Deps;
  readonly owner: Owner;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export type WireResult = { readonly json: object } | { readonly events: AsyncIterable<StreamEvent> };

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for one segment and becomes the field of that name. */
  readonly path: string;
}

export interface WireOperation {
  /** The JSON-RPC method. */
  readonly name: string;
  readonly routes: readonly Route[];
  /** Query parameters that are fields of the request, for routes without a body. */
  readonly query: Readonly<Record<string, 'string' | 'integer' | 'boolean'>>;
  /** Checks the raw request and runs it. */
  invoke(call: Call, raw: JsonObject): Promise<WireResult>;
}

interface Row<Request> {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly query?: WireOperation['query'];
  readonly check: (raw: JsonObject, owner: Owner) => Request;
  readonly run: (call: Call, request: Request) => Promise<WireResult>;
}

function offered<Request>({ name, routes, query = {}, check, run }: Row<Request>): WireOperation {
  return { name, routes, query, invoke: async (call, raw) => run(call, check(raw, call.owner)) };
}

function notOffered(
  name: string,
  routes: readonly Route[],
  reason: 'UNSUPPORTED_OPERATION' | 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  message: string,
): WireOperation {
  const refusal = async () => {
    throw new ProtocolError(reason, message, { metadata: { operation: name } });
  };
  return { name, routes, query: {}, invoke: refusal };
}

const NO_STREAMS = 'This agent does not stream; poll with GetTask';
const NO_PUSH = 'This agent does not send push notifications';
const CONFIGS = '/tasks/{taskId}/pushNotificationConfigs';

export function wireOperations(tasks: TaskOperations): readonly WireOperation[] {
  return [
    offered({
      name: 'SendMessage',
      routes: [{ method: 'POST', path: '/message:send' }],
      check: checkSendMessage,
      run: async ({ deps, owner, waitMs, signal }, request) => {
        const result = await tasks.sendMessage(deps, owner, request, { waitMs, ...(signal ? { signal } : {}) });
        return { json: 'task' in result ? { task: fitTask(result.task) } : { message: fitMessage(result.message) } };
      },
    }),
    offered({
      name: 'GetTask',
      routes: [{ method: 'GET', path: '/tasks/{id}' }],
      query: { tenant: 'string', historyLength: 'integer' },
      check: checkGetTask,
      run: async ({ deps, owner }, request) => ({ json: fitTask(await tasks.getTask(deps, owner, request)) }),
    }),
    offered({
      name: 'CancelTask',
      routes: [{ method: 'POST', path: '/tasks/{id}:cancel' }],
      check: checkCancelTask,
      run: async ({ deps, owner }, request) => ({ json: fitTask(await tasks.cancelTask(deps, owner, request)) }),
    }),
    notOffered(
      'SendStreamingMessage',
      [{ method: 'POST', path: '/message:stream' }],
      'UNSUPPORTED_OPERATION',
      NO_STREAMS,
    ),
    notOffered(
      'SubscribeToTask',
      // The proto says GET, section 11.3.2 and the official SDK say POST.
      [
        { method: 'GET', path: '/tasks/{id}:subscribe' },
        { method: 'POST', path: '/tasks/{id}:subscribe' },
      ],
      'UNSUPPORTED_OPERATION',
      NO_STREAMS,
    ),
    notOffered(
      'ListTasks',
      [{ method: 'GET', path: '/tasks' }],
      'UNSUPPORTED_OPERATION',
      'This agent does not list tasks; get each by its id with GetTask',
    ),
    notOffered(
      'CreateTaskPushNotificationConfig',
      [{ method: 'POST', path: CONFIGS }],
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ),
    notOffered(
      'GetTaskPushNotificationConfig',
      [{ method: 'GET', path: `${CONFIGS}/{id}` }],
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ),
    notOffered(
      'ListTaskPushNotificationConfigs',
      [{ method: 'GET', path: CONFIGS }],
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ),
    notOffered(
      'DeleteTaskPushNotificationConfig',
      [{ method: 'DELETE', path: `${CONFIGS}/{id}` }],
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ),
    notOffered(
      'GetExtendedAgentCard',
      [{ method: 'GET', path: '/extendedAgentCard' }],
      'UNSUPPORTED_OPERATION',
      'This agent has no extended agent card',
    ),
  ];
}
