/**
 * SendStreamingMessage and SubscribeToTask (A2A 3.1.2, 3.1.6): first the task, then every event once, in order of
 * generation, whichever instance writes it, until the task ends, is interrupted (StreamSettings) or the connection's
 * time is over. A stream only reads: one that is cut leaves the task as it is.
 */
import { invalidParams, ProtocolError, RetryableError, taskNotFound } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { limits } from '../limits.ts';
import { isInterrupted, isTerminal, type StreamResponse } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { SendMessageRequest, SubscribeToTaskRequest } from '../requests.ts';
import type { TaskHead } from '../task.ts';
import { viewTask } from '../view/view-task.ts';
import { EventCursor } from './event-cursor.ts';
import { ownedTask } from './owned-task.ts';
import { acceptMessage } from './send-message.ts';
import { lookAgain, pollMs, TIMER_SLACK_MS } from './watch-task.ts';

/** `id` is the generation that a caller names as Last-Event-ID to go on from here. */
export type StreamItem =
  | { readonly id?: string; readonly event: StreamResponse }
  /** For the connection, not for the caller: a heartbeat, or why the stream ends here. */
  | { readonly comment: string };

export interface StreamOptions {
  /** How long the stream may stay open, in milliseconds; at most, and by default, 14 minutes. */
  readonly waitMs?: number;
  /** Aborts when the caller has gone: nothing is read any more. */
  readonly signal?: AbortSignal;
  /** Last-Event-ID: the generation of the newest event that the caller has. */
  readonly lastEventId?: string;
}

/**
 * Sends as SendMessage does, then streams: the direct reply alone, or the task and its events.
 * @throws what `acceptMessage` throws; INVALID_PARAMS for a Last-Event-ID that is none
 */
export async function streamMessage(
  deps: Deps,
  owner: Owner,
  request: SendMessageRequest,
  options: StreamOptions = {},
): Promise<AsyncIterable<StreamItem>> {
  const after = readLastEventId(options.lastEventId);
  const accepted = await acceptMessage(deps, owner, request);
  if ('message' in accepted) return only({ message: accepted.message });
  const { head, note } = accepted;
  const { historyLength } = request.configuration ?? {};
  const task = await viewTask(deps.store, head, historyLength, note);
  return stream(deps, head, { task }, { ...options, after, pausesAtOnce: true });
}

/**
 * @throws ProtocolError TASK_NOT_FOUND; UNSUPPORTED_OPERATION when the task has ended, unless the caller resumes a stream
 *   that it had; INVALID_PARAMS for a Last-Event-ID that is none
 */
export async function subscribeToTask(
  deps: Deps,
  owner: Owner,
  request: SubscribeToTaskRequest,
  options: StreamOptions = {},
): Promise<AsyncIterable<StreamItem>> {
  const after = readLastEventId(options.lastEventId);
  const head = await ownedTask(deps, owner, request.id);
  if (after === undefined && isTerminal(head.status.state)) {
    throw new ProtocolError('UNSUPPORTED_OPERATION', `Task ${head.taskId} has ended; read it with GetTask`, {
      metadata: { taskId: head.taskId, state: head.status.state },
    });
  }
  const task = await viewTask(deps.store, head);
  return stream(deps, head, { task }, { ...options, after, pausesAtOnce: false });
}

async function* only(event: StreamResponse): AsyncGenerator<StreamItem, void, undefined> {
  yield { event };
}

function readLastEventId(given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw invalidParams('Last-Event-ID', 'must be the id of an event of this task');
}

interface Start extends StreamOptions {
  readonly after: number | undefined;
  /** Whether a task that is interrupted already counts as interrupted on this stream. */
  readonly pausesAtOnce: boolean;
}

async function* stream(
  deps: Deps,
  first: TaskHead,
  task: StreamResponse,
  start: Start,
): AsyncGenerator<StreamItem, void, undefined> {
  const { clock, store } = deps;
  const endsAtMs = clock.now() + Math.min(start.waitMs ?? limits.streamMs, limits.streamMs);
  let head = first;
  // A generation that this task has not reached is of another life of its id: there is nothing to go on from.
  const resumed = start.after !== undefined && start.after <= head.generation;
  const cursor = resumed
    ? EventCursor.after(store, start.after)
    : EventCursor.at(store, head, start.pausesAtOnce && isInterrupted(head.status.state));
  // The task tells more than the missed events that follow it: who is cut here resumes from where it was.
  yield resumed ? { event: task } : { id: String(head.generation), event: task };
  for (;;) {
    for await (const { generation, event } of cursor.upTo(head)) {
      if (start.signal?.aborted) return;
      yield { id: String(generation), event };
      if (clock.now() >= endsAtMs) break;
    }
    const behind = cursor.generation < head.generation;
    if (!behind && (isTerminal(head.status.state) || (cursor.paused && closesAt(deps, head)))) return;
    const next = yield* news(deps, head, { endsAtMs, signal: start.signal, generation: cursor.generation });
    if (!next) return;
    head = next;
  }
}

function closesAt(deps: Deps, head: TaskHead): boolean {
  const { inputRequired = 'close', authRequired = 'stay-open' } = deps.agent.settings.streams ?? {};
  return (head.status.state === 'TASK_STATE_INPUT_REQUIRED' ? inputRequired : authRequired) === 'close';
}

interface Waiting {
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
  /** What a caller has had when the stream ends while nothing happens. */
  readonly generation: number;
}

/** The next head with another event; heartbeats meanwhile. Undefined when the stream is to end. */
async function* news(deps: Deps, head: TaskHead, waiting: Waiting): AsyncGenerator<StreamItem, TaskHead | undefined> {
  const { clock, wake, log } = deps;
  const { endsAtMs, signal } = waiting;
  let beatAtMs = clock.now() + limits.keepAliveMs;
  let lookAtMs = clock.now() + pollMs(head, clock.now());
  let failed = 0;
  for (;;) {
    if (signal?.aborted) return undefined;
    const nowMs = clock.now();
    if (nowMs >= endsAtMs) {
      yield { comment: `this connection ends, the task does not: subscribe with Last-Event-ID ${waiting.generation}` };
      return undefined;
    }
    if (nowMs >= beatAtMs) {
      beatAtMs = nowMs + limits.keepAliveMs;
      yield { comment: 'heartbeat' };
      continue;
    }
    const untilMs = Math.min(lookAtMs, beatAtMs, endsAtMs);
    if (nowMs < untilMs) await wake.wait(head.taskId, untilMs - nowMs, signal);
    const wokeMs = clock.now();
    const woken = wokeMs < untilMs - TIMER_SLACK_MS;
    if (signal?.aborted || (wokeMs < lookAtMs && !woken)) continue;
    try {
      const next = await lookAgain(deps, head);
      if (!next) throw taskNotFound(head.taskId);
      if (next.generation > head.generation) return next;
      failed = 0;
      lookAtMs = clock.now() + pollMs(next, clock.now());
    } catch (error) {
      failed += 1;
      if (!(error instanceof RetryableError) || failed >= limits.failedLooks) throw error;
      log.warn('a look at a streamed task failed', { taskId: head.taskId, error });
      lookAtMs = clock.now() + limits.pollIdleMs;
    }
  }
}
