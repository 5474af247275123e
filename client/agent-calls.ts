/**
 * The official client's calls in A2A's JSON form, which the rest of client/ speaks, with retries for what only reads.
 * Decides nothing about tasks.
 */
import {
  GetTaskRequest,
  ListTasksRequest,
  Message as SdkMessage,
  StreamResponse as SdkStreamResponse,
  Task as SdkTask,
  SendMessageRequest,
} from '@a2a-js/sdk';
import { type Client, ServiceParameters, withA2AExtensions } from '@a2a-js/sdk/client';
import { errorText } from '../core/error-text.ts';
import type { Message, StreamResponse, Task, TaskState } from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { agentOf, type KnownAgent } from './agent-identity.ts';
import { cleanLine } from '../core/clean-text.ts';
import { AgentMisbehavedError, AgentUnreachableError } from './errors.ts';
import { LiveStream } from './live-stream.ts';
import { isRefusal } from './refusals.ts';
import type { ClientClock, PushConfig } from './types.ts';

/** Between tries of one request. */
export const RETRY_MS = [250, 1_000, 4_000] as const;

/** For an answer to a call that waits for nothing. */
const PATIENCE_MS = 60_000;

export interface CallOptions {
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  /** Between tries of what may be repeated; default `RETRY_MS`. */
  readonly retryMs?: readonly number[];
}

export interface ListFilter {
  readonly status: TaskState;
  readonly pageSize: number;
  readonly historyLength: number;
  readonly pageToken: string;
}

export class AgentCalls {
  readonly agent: KnownAgent;
  readonly #client: Client;
  readonly #options: CallOptions;
  readonly #parameters: ServiceParameters;

  private constructor(client: Client, agent: KnownAgent, options: CallOptions) {
    this.#client = client;
    this.agent = agent;
    this.#options = options;
    this.#parameters = agent.takesRepeats ? ServiceParameters.create(withA2AExtensions(QUESTION_EXTENSION_URI)) : {};
  }

  static async open(client: Client, options: CallOptions): Promise<AgentCalls> {
    return new AgentCalls(client, await agentOf(client), options);
  }

  /** @param wait whether the agent is to wait until the task has ended or is interrupted */
  async send(message: Message, wait: boolean, push?: PushConfig): Promise<{ task: Task } | { message: Message }> {
    const request = requestOf(message, { returnImmediately: !wait, push });
    const send = (signal: AbortSignal) => this.#client.sendMessage(request, this.#call({ signal }));
    const result = await (wait ? send(this.signal) : this.#inTime(send));
    return 'messageId' in result ? { message: SdkMessage.toJSON(result) as Message } : { task: taskOf(result) };
  }

  stream(message: Message, push?: PushConfig): LiveStream {
    return this.#live((signal) => this.#client.sendMessageStream(requestOf(message, { push }), this.#call({ signal })));
  }

  /** @param generation of the newest event that is known; what came after is told again */
  subscribe(taskId: string, generation: number | undefined): LiveStream {
    const more: Record<string, string> = generation === undefined ? {} : { 'Last-Event-ID': String(generation) };
    return this.#live((signal) =>
      this.#client.resubscribeTask({ id: taskId, tenant: '' }, this.#call({ signal, parameters: more })),
    );
  }

  /** @param history how many messages are wanted; `true`: as many as the agent gives */
  async get(taskId: string, history: number | true = 0): Promise<Task> {
    const request = GetTaskRequest.fromJSON({ id: taskId, ...(history === true ? {} : { historyLength: history }) });
    const task = await this.#patiently(taskId, (signal) => this.#client.getTask(request, this.#call({ signal })));
    return taskOf(task, taskId);
  }

  /** One page of the caller's tasks, as the agent sends them. */
  async list(filter: ListFilter): Promise<{ readonly tasks: readonly Task[]; readonly nextPageToken: string }> {
    const request = ListTasksRequest.fromJSON(filter);
    const page = await this.#patiently(undefined, (signal) => this.#client.listTasks(request, this.#call({ signal })));
    return { tasks: page.tasks.map((task) => SdkTask.toJSON(task) as Task), nextPageToken: page.nextPageToken };
  }

  async cancel(taskId: string): Promise<Task> {
    const task = await this.#patiently(taskId, (signal) =>
      this.#client.cancelTask({ id: taskId, tenant: '', metadata: undefined }, this.#call({ signal })),
    );
    return taskOf(task, taskId);
  }

  /** @throws the reason of the signal, once it is aborted */
  async sleep(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#options.signal);
    this.#options.signal.throwIfAborted();
  }

  get clock(): ClientClock {
    return this.#options.clock;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** For calls that may be repeated: reading, and canceling. */
  async #patiently<T>(taskId: string | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#inTime(call);
      } catch (error) {
        this.signal.throwIfAborted();
        if (isRefusal(error) || error instanceof AgentMisbehavedError) throw error;
        const delay = (this.#options.retryMs ?? RETRY_MS)[tries];
        if (delay === undefined) throw unreachable(error, taskId);
        await this.sleep(delay);
      }
    }
  }

  async #inTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const answered = new AbortController();
    void this.clock.sleep(PATIENCE_MS, answered.signal).then(() => over.abort(new Error('it does not answer')));
    try {
      return await call(AbortSignal.any([over.signal, this.signal]));
    } finally {
      answered.abort();
    }
  }

  #call({ signal = this.signal, parameters = {} }: { signal?: AbortSignal; parameters?: ServiceParameters } = {}) {
    return { signal, serviceParameters: { ...this.#parameters, ...parameters } };
  }

  #live(open: (signal: AbortSignal) => AsyncGenerator<SdkStreamResponse, void, undefined>): LiveStream {
    const own = new AbortController();
    const events = open(AbortSignal.any([own.signal, this.signal]));
    return new LiveStream(inJson(events), () => own.abort());
  }
}

export function unreachable(cause: unknown, taskId?: string): AgentUnreachableError {
  // The official client quotes whole answers.
  const why = cleanLine(errorText(cause));
  return new AgentUnreachableError(`the agent could not be reached: ${why}`, { cause, taskId });
}

async function* inJson(events: AsyncIterable<SdkStreamResponse>): AsyncGenerator<StreamResponse, void, undefined> {
  for await (const event of events) yield SdkStreamResponse.toJSON(event) as StreamResponse;
}

/** @param id of the task that was asked for */
function taskOf(task: SdkTask, id?: string): Task {
  const json = SdkTask.toJSON(task) as Task;
  if (!json.id || !json.status?.state) throw new AgentMisbehavedError('the agent sent a task without id or state');
  if (id !== undefined && json.id !== id)
    throw new AgentMisbehavedError('the agent sent another task than the one asked for');
  return json;
}

function requestOf(
  message: Message,
  { returnImmediately, push }: { returnImmediately?: boolean; push: PushConfig | undefined },
) {
  const taskPushNotificationConfig = push;
  return SendMessageRequest.fromJSON({ message, configuration: { returnImmediately, taskPushNotificationConfig } });
}
