/**
 * The one table of A2A operations: name, routes, check, run. Both bindings read it, so an operation is added here and
 * nowhere else (A2A 1.0 section 5.3). What this agent does not offer has a row too, because it has its own error.
 */
import { ProtocolError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { Message, Task } from '../message.ts';
import type { GetOptions } from '../operations/get-task.ts';
import type { TaskPage } from '../operations/list-tasks.ts';
import type { SendOptions } from '../operations/send-message.ts';
import type { StreamItem, StreamOptions } from '../operations/stream-task.ts';
import type { ProtocolVersion } from '../agent.ts';
import type { Deps } from '../ports.ts';
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from '../requests.ts';
import { fitEvent, fitMessage, fitTask } from '../view/fit.ts';
import type { CardFacts } from './card.ts';
import { checkListTasks } from './check-list.ts';
import { checkCancelTask, checkGetTask, checkSendMessage, checkSubscribeToTask } from './check-request.ts';
import { extendedAgentCard } from './extended-card.ts';
import { requireInputModes } from './input-modes.ts';
import { answerLate, type LateAnswer } from './late-answer.ts';
import { OpenStreams } from './open-streams.ts';
import { pushOperations, withProtocol } from './push-operations.ts';
import type { StreamEvent } from './stream.ts';

/** What core/operations/ offers; handed in, so that the wire can be tested without a store. */
export interface TaskOperations {
  sendMessage(
    deps: Deps,
    owner: Owner,
    request: SendMessageRequest,
    options?: SendOptions,
  ): Promise<{ task: Task } | { message: Message }>;
  streamMessage(
    deps: Deps,
    owner: Owner,
    request: SendMessageRequest,
    options?: StreamOptions,
  ): Promise<AsyncIterable<StreamItem>>;
  getTask(deps: Deps, owner: Owner, request: GetTaskRequest, options?: GetOptions): Promise<Task>;
  subscribeToTask(
    deps: Deps,
    owner: Owner,
    request: SubscribeToTaskRequest,
    options?: StreamOptions,
  ): Promise<AsyncIterable<StreamItem>>;
  listTasks(deps: Deps, owner: Owner, request: ListTasksRequest): Promise<TaskPage>;
  cancelTask(deps: Deps, owner: Owner, request: CancelTaskRequest): Promise<Task>;
}

/** One authenticated call, the same for both bindings. */
export interface Call {
  readonly deps: Deps;
  readonly facts: CardFacts;
  readonly owner: Owner;
  /** What the caller speaks; the request itself is in the form of 1.0 by now. */
  readonly version: ProtocolVersion;
  /** The agent's public address, as in `HttpRequest`. */
  readonly baseUrl: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** The header Last-Event-ID. */
  readonly lastEventId?: string;
}

export type WireResult =
  | { readonly json: object | null }
  | { readonly late: LateAnswer }
  | { readonly events: AsyncIterable<StreamEvent> };

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
  readonly query: Readonly<Record<string, 'string' | 'integer' | 'boolean' | 'json'>>;
  /** Tells about the agent itself; asks for no extension that the card requires. */
  readonly discovery?: true;
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

/** A stream, where the deployment lets responses stream (A2A 1.0 section 3.3.4), and its caller has not too many. */
function streamed<Request>(
  streams: OpenStreams,
  row: Omit<Row<Request>, 'run'>,
  run: (call: Call, request: Request) => Promise<AsyncIterable<StreamItem>>,
): WireOperation {
  const operation = offered<Request>({
    ...row,
    run: async (call, request) => ({
      events: wireEvents(await streams.opened(call.owner, call.signal, () => run(call, request))),
    }),
  });
  return {
    ...operation,
    invoke: async (call, raw) => {
      if (call.facts.streaming) return operation.invoke(call, raw);
      throw new ProtocolError('UNSUPPORTED_OPERATION', NO_STREAMS, { metadata: { operation: row.name } });
    },
  };
}

async function* wireEvents(items: AsyncIterable<StreamItem>): AsyncGenerator<StreamEvent> {
  for await (const item of items) {
    if ('comment' in item) yield item;
    else yield { ...(item.id === undefined ? {} : { id: item.id }), data: fitEvent(item.event) };
  }
}

function waiting({ waitMs, signal }: Call): GetOptions {
  return { waitMs, ...(signal ? { signal } : {}) };
}

function streaming(call: Call): StreamOptions {
  return { ...waiting(call), ...(call.lastEventId === undefined ? {} : { lastEventId: call.lastEventId }) };
}

const NO_STREAMS = 'This agent does not stream; poll with GetTask';

export function wireOperations(tasks: TaskOperations): readonly WireOperation[] {
  const streams = new OpenStreams();
  return [
    offered({
      name: 'SendMessage',
      routes: [{ method: 'POST', path: '/message:send' }],
      check: checkSendMessage,
      run: (call, request) =>
        answerLate(call, async (onAccepted) => {
          requireInputModes(request.message, call.deps.agent.card);
          const options = { ...waiting(call), onAccepted };
          const told = withProtocol(request, call.version);
          const result = await tasks.sendMessage(call.deps, call.owner, told, options);
          return 'task' in result ? { task: fitTask(result.task) } : { message: fitMessage(result.message) };
        }),
    }),
    streamed(
      streams,
      {
        name: 'SendStreamingMessage',
        routes: [{ method: 'POST', path: '/message:stream' }],
        check: checkSendMessage,
      },
      async (call, request) => {
        requireInputModes(request.message, call.deps.agent.card);
        return tasks.streamMessage(call.deps, call.owner, withProtocol(request, call.version), streaming(call));
      },
    ),
    offered({
      name: 'GetTask',
      routes: [{ method: 'GET', path: '/tasks/{id}' }],
      query: { tenant: 'string', historyLength: 'integer', metadata: 'json' },
      check: checkGetTask,
      run: async (call, request) => ({
        json: fitTask(await tasks.getTask(call.deps, call.owner, request, waiting(call))),
      }),
    }),
    offered({
      name: 'CancelTask',
      routes: [{ method: 'POST', path: '/tasks/{id}:cancel' }],
      check: checkCancelTask,
      run: async ({ deps, owner }, request) => ({ json: fitTask(await tasks.cancelTask(deps, owner, request)) }),
    }),
    streamed(
      streams,
      {
        name: 'SubscribeToTask',
        // The proto says GET, section 11.3.2 and the official SDK say POST.
        routes: [
          { method: 'GET', path: '/tasks/{id}:subscribe' },
          { method: 'POST', path: '/tasks/{id}:subscribe' },
        ],
        query: { tenant: 'string' },
        check: checkSubscribeToTask,
      },
      (call, request) => tasks.subscribeToTask(call.deps, call.owner, request, streaming(call)),
    ),
    offered({
      name: 'ListTasks',
      routes: [{ method: 'GET', path: '/tasks' }],
      query: {
        tenant: 'string',
        contextId: 'string',
        status: 'string',
        pageSize: 'integer',
        pageToken: 'string',
        historyLength: 'integer',
        statusTimestampAfter: 'string',
        includeArtifacts: 'boolean',
      },
      check: checkListTasks,
      run: async ({ deps, owner }, request) => ({ json: await tasks.listTasks(deps, owner, request) }),
    }),
    ...pushOperations,
    extendedAgentCard,
  ];
}
