/**
 * Follows one task until it ends: by its stream, taken up again with the newest event it had; without streams by asking
 * now and then. Every change is read from the task itself, so that history and status always belong together.
 */
import { isJsonObject, type Json } from '../core/json.ts';
import { isTerminal, type Task } from '../core/message.ts';
import { type A2a, Refused, Unreachable } from './a2a.ts';
import { readStatus } from './read-task.ts';

export interface Follower {
  /** Told of each new state of the task. */
  readonly onTask: (task: Task) => void;
  /** Told when the connection is lost and when it is back. */
  readonly onConnection: (connected: boolean) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly streaming: boolean;
  readonly signal: AbortSignal;
}

const POLL_MS = 5_000;
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000];

/** Resolves when the task has ended or `signal` aborts. Throws `Refused` when it may not be read. */
export async function follow(
  a2a: Pick<A2a, 'task' | 'events'>,
  id: string,
  { onTask, onConnection, sleep, streaming, signal }: Follower,
): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  const read = async (): Promise<Task> => {
    const task = await a2a.task(id);
    if (!signal.aborted) onTask(task);
    return task;
  };
  while (!signal.aborted) {
    try {
      const task = await read();
      if (isTerminal(task.status.state)) return;
      onConnection(true);
      if (streaming) {
        let last = task;
        for await (const { id: eventId, data, type } of a2a.events(id, lastEventId, signal)) {
          if (signal.aborted) return;
          if (type === 'error') break;
          failures = 0;
          if (eventId !== undefined) lastEventId = eventId;
          const said = progressOf(last, data);
          if (said !== undefined) {
            last = said;
            onTask(last);
          } else if (isNews(last, data)) last = await read();
          if (isTerminal(last.status.state)) return;
        }
      }
      // A stream that ended in good order, or none: the next look is at once or soon.
      failures += streaming ? 1 : 0;
      await sleep(streaming ? waitMs(failures) : POLL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && !isPassing(error)) throw error;
      if (!(error instanceof Refused)) onConnection(false);
      failures += 1;
      await sleep(waitMs(failures), signal);
    }
  }
}

function waitMs(failures: number): number {
  return RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 0;
}

/** Too many requests, a server in trouble, or a task that ended between two calls. */
function isPassing({ status, reason }: Refused): boolean {
  return status === 429 || status >= 500 || reason === 'UNSUPPORTED_OPERATION';
}

/** What the agent says while it works needs no second look at the task. */
function progressOf(task: Task, data: string): Task | undefined {
  const status = readStatus(eventIn(data, 'statusUpdate')?.status);
  if (status?.state !== 'TASK_STATE_WORKING' || task.status.state !== status.state) return;
  return { ...task, status };
}

/** The first event of a stream is the task, mostly as it was just read. */
function isNews({ status, metadata }: Task, data: string): boolean {
  const task = eventIn(data, 'task') as Partial<Task> | undefined;
  if (task === undefined) return true;
  return task.status?.timestamp !== status.timestamp || JSON.stringify(task.metadata) !== JSON.stringify(metadata);
}

function eventIn(data: string, kind: 'task' | 'statusUpdate'): { readonly [key: string]: Json } | undefined {
  try {
    const event = JSON.parse(data) as Json;
    return isJsonObject(event) && isJsonObject(event[kind]) ? event[kind] : undefined;
  } catch (cause) {
    throw new Unreachable('the stream holds something that is not JSON', { cause });
  }
}
