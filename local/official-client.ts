/**
 * A caller on the official A2A client, for the demo and the end-to-end tests: messages and tasks in their JSON form,
 * everything else the client's own work.
 */
import {
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  StreamResponse as SdkStreamResponse,
  Task as SdkTask,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { Message, StreamResponse, Task, TaskState } from '../core/message.ts';

export interface Configuration {
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
  readonly taskPushNotificationConfig?: PushConfig;
}

export interface Caller {
  /** Throws the client's own errors, as in `TaskNotFoundError`. */
  send(message: Message, configuration?: Configuration): Promise<Task>;
  get(id: string, historyLength?: number): Promise<Task>;
  cancel(id: string): Promise<Task>;
  /** Sends and reads what streams; leaving the loop, or the signal, closes the connection. */
  stream(message: Message, options?: StreamCall): AsyncIterable<StreamResponse>;
  subscribe(id: string, options?: StreamCall): AsyncIterable<StreamResponse>;
  list(query?: ListQuery): Promise<ListPage>;
  createPushConfig(config: PushConfig): Promise<PushConfig>;
  getPushConfig(taskId: string, id: string): Promise<PushConfig>;
  listPushConfigs(taskId: string): Promise<readonly PushConfig[]>;
  deletePushConfig(taskId: string, id: string): Promise<void>;
}

/** A2A's TaskPushNotificationConfig, in its JSON form. */
export interface PushConfig {
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

export interface StreamCall {
  /** The generation of the newest event that is known. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** The fields of A2A's ListTasksRequest, in its JSON form. */
export interface ListQuery {
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

export interface ListPage {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Reads the agent card at `url` and speaks the binding that is asked for; `headers` say who calls. */
export async function connect(
  url: string,
  binding: 'JSONRPC' | 'HTTP+JSON',
  headers: Readonly<Record<string, string>> = {},
): Promise<Caller> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  // With a slash at its end, or the client would look for the card beside an address that has a path.
  const client = await new ClientFactory(options).createFromUrl(url.endsWith('/') ? url : `${url}/`);
  return {
    async send(message, configuration) {
      const result = await client.sendMessage(SendMessageRequest.fromJSON({ message, configuration }));
      if (!('status' in result)) throw new Error('the agent answered with a message, not with a task');
      return taskOf(result);
    },
    get: async (id, historyLength) => taskOf(await client.getTask(GetTaskRequest.fromJSON({ id, historyLength }))),
    list: async (query = {}) => {
      const page = await client.listTasks(ListTasksRequest.fromJSON(query));
      return { ...page, tasks: page.tasks.map(taskOf) };
    },
    stream: (message, options) =>
      events(client.sendMessageStream(SendMessageRequest.fromJSON({ message }), callOf(options))),
    subscribe: (id, options) => events(client.resubscribeTask({ id, tenant: '' }, callOf(options))),
    cancel: async (id) => taskOf(await client.cancelTask({ id, tenant: '', metadata: undefined })),
    createPushConfig: async (config) =>
      configOf(await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config))),
    getPushConfig: async (taskId, id) =>
      configOf(await client.getTaskPushNotificationConfig({ taskId, id, tenant: '' })),
    listPushConfigs: async (taskId) => {
      const request = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
      return (await client.listTaskPushNotificationConfig(request)).configs.map(configOf);
    },
    deletePushConfig: (taskId, id) => client.deleteTaskPushNotificationConfig({ taskId, id, tenant: '' }),
  };
}

function taskOf(task: SdkTask): Task {
  return SdkTask.toJSON(task) as Task;
}

function configOf(config: TaskPushNotificationConfig): PushConfig {
  return TaskPushNotificationConfig.toJSON(config) as PushConfig;
}

function callOf({ lastEventId, signal }: StreamCall = {}) {
  return {
    ...(lastEventId === undefined ? {} : { serviceParameters: { 'Last-Event-ID': lastEventId } }),
    ...(signal ? { signal } : {}),
  };
}

async function* events(stream: AsyncIterable<SdkStreamResponse>): AsyncGenerator<StreamResponse, void, undefined> {
  for await (const event of stream) yield SdkStreamResponse.toJSON(event) as StreamResponse;
}
