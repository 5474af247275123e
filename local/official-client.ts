/**
 * A caller on the official A2A client, for the demo and the end-to-end tests: messages and tasks in their JSON form,
 * everything else the client's own work.
 */
import { GetTaskRequest, ListTasksRequest, Task as SdkTask, SendMessageRequest } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { Message, Task, TaskState } from '../core/message.ts';

export interface Configuration {
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
}

export interface Caller {
  /** Throws the client's own errors, as in `TaskNotFoundError`. */
  send(message: Message, configuration?: Configuration): Promise<Task>;
  get(id: string, historyLength?: number): Promise<Task>;
  cancel(id: string): Promise<Task>;
  list(query?: ListQuery): Promise<ListPage>;
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
    cancel: async (id) => taskOf(await client.cancelTask({ id, tenant: '', metadata: undefined })),
  };
}

function taskOf(task: SdkTask): Task {
  return SdkTask.toJSON(task) as Task;
}
