/** A2A 1.0 over HTTP+JSON, as much of it as the page speaks, to the origin that served it and to no other. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Message, Task } from '../core/message.ts';
import { oneLine, plainText } from './plain-text.ts';
import { LISTED_MESSAGES } from './question.ts';
import { readTask } from './read-task.ts';
import { type ServerEvent, serverEvents } from './sse.ts';

export interface AgentFacts {
  readonly name: string;
  readonly description: string;
  readonly streaming: boolean;
}

export interface A2a {
  agent(): Promise<AgentFacts>;
  /** All tasks of the caller that wait for an answer, up to a thousand. */
  waitingTasks(): Promise<readonly Task[]>;
  task(id: string): Promise<Task>;
  /** Returns as soon as the message is recorded. */
  send(message: Message): Promise<Task>;
  cancel(id: string): Promise<Task>;
  /** @param lastEventId the newest event that was taken; the missed ones come first */
  events(id: string, lastEventId: string | undefined, signal: AbortSignal): AsyncIterable<ServerEvent>;
}

/** The agent answered, and refused. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** A2A's reason, as in `TASK_NOT_FOUND`; empty where none is given. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** No answer came. Whether the request arrived is not known. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface A2aOptions {
  /** The agent's address, without a slash at its end. */
  readonly base: string;
  /** The bearer token, if there is one. */
  readonly token: () => string | undefined;
  readonly fetch: typeof fetch;
  /** Told the server's own time with each answer, in milliseconds. */
  readonly onServerTime?: (nowMs: number) => void;
}

const PATIENCE_MS = 40_000;
/** The server sends a comment every 15 seconds; a stream that is silent for longer than this is dead. */
const SILENCE_MS = 45_000;
const PAGE = 100;
const MAX_PAGES = 10;

export function a2aClient({ base, token, fetch: send, onServerTime }: A2aOptions): A2a {
  const request = async (path: string, init: RequestInit, headers: Record<string, string> = {}): Promise<Response> => {
    const bearer = token();
    const all = { 'A2A-Version': '1.0', ...headers, ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}) };
    const options: RequestInit = { credentials: 'omit', redirect: 'error', ...init, headers: all };
    const response = await send(`${base}${path}`, options).catch((cause: unknown) => {
      throw new Unreachable('No answer came from the agent', { cause });
    });
    const serverTime = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(serverTime)) onServerTime?.(serverTime);
    if (!response.ok) throw await refusal(response);
    return response;
  };
  const json = async (path: string, init: RequestInit = {}): Promise<JsonObject> => {
    const headers: Record<string, string> = init.body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await request(path, { signal: AbortSignal.timeout(PATIENCE_MS), ...init }, headers);
    const body = (await response.json().catch((cause: unknown) => {
      throw new Unreachable('The answer of the agent broke off', { cause });
    })) as Json;
    if (!isJsonObject(body)) throw new Unreachable('The agent answered something that is not A2A');
    return body;
  };
  const post = (path: string, body: unknown) => json(path, { method: 'POST', body: JSON.stringify(body) });
  return {
    async agent() {
      const { name, description, capabilities } = await json('/.well-known/agent-card.json');
      const streaming = isJsonObject(capabilities) && capabilities.streaming === true;
      return { name: oneLine(name, 80) || 'The agent', description: plainText(description, 1_000), streaming };
    },
    async waitingTasks() {
      const tasks: Task[] = [];
      let pageToken = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query = new URLSearchParams({
          status: 'TASK_STATE_INPUT_REQUIRED',
          pageSize: String(PAGE),
          historyLength: String(LISTED_MESSAGES),
        });
        if (pageToken !== '') query.set('pageToken', pageToken);
        const body = await json(`/tasks?${query}`);
        if (Array.isArray(body.tasks))
          tasks.push(...(body.tasks as readonly Json[]).flatMap((one) => readTask(one) ?? []));
        pageToken = typeof body.nextPageToken === 'string' ? body.nextPageToken : '';
        if (pageToken === '') break;
      }
      return tasks;
    },
    task: async (id) => asTask(await json(`/tasks/${encodeURIComponent(id)}`)),
    async send(message) {
      const { task } = await post('/message:send', { message, configuration: { returnImmediately: true } });
      return asTask(task);
    },
    cancel: async (id) => asTask(await post(`/tasks/${encodeURIComponent(id)}:cancel`, {})),
    async *events(id, lastEventId, signal) {
      const silent = new AbortController();
      const either = AbortSignal.any([signal, silent.signal]);
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
      const path = `/tasks/${encodeURIComponent(id)}:subscribe`;
      const { body } = await request(path, { method: 'POST', signal: either }, headers);
      if (body) yield* serverEvents(heard(body, silent));
    },
  };
}

async function* heard(body: ReadableStream<Uint8Array>, silent: AbortController): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const patience = setTimeout(() => silent.abort(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(patience));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function asTask(value: Json | undefined): Task {
  const task = readTask(value);
  if (task) return task;
  throw new Unreachable('The agent answered something that is not a task');
}

/** google.rpc.Status with `ErrorInfo`; a gateway may answer in its own way. */
async function refusal(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => undefined)) as Json | undefined;
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  const details = Array.isArray(error.details) ? (error.details as readonly Json[]) : [];
  const reasons = details.flatMap((detail) =>
    isJsonObject(detail) && typeof detail.reason === 'string' ? [detail.reason] : [],
  );
  const message = plainText(error.message, 500) || `The agent answered with status ${response.status}`;
  return new Refused(response.status, reasons[0] ?? '', message);
}
