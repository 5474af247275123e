/**
 * Keeps an answer within what one Lambda response can carry. A server may return fewer messages than asked for (A2A 1.0
 * section 3.2.4), so the oldest history goes first; what is still too large is a clear error instead of a cut connection.
 */
import { ProtocolError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Message, StreamResponse, Task } from '../message.ts';
import { TOO_LARGE } from './view-event.ts';

/** Throws `UNSUPPORTED_OPERATION` when the task is too large even without history. */
export function fitTask(task: Task, maxBytes: number = limits.responseBytes): Task {
  if (fits(task, maxBytes)) return task;
  const { history = [], ...rest } = task;
  let room = maxBytes - wireBytes(rest);
  if (room < 0) {
    throw new ProtocolError('UNSUPPORTED_OPERATION', 'The task is too large for one response', {
      metadata: { taskId: task.id, maxBytes: String(maxBytes) },
    });
  }
  let first = history.length;
  for (; first > 0; first -= 1) {
    room -= wireBytes(history[first - 1]);
    if (room < 0) break;
  }
  return first === history.length ? rest : { ...rest, history: history.slice(first) };
}

/** Throws `UNSUPPORTED_OPERATION` when the agent's reply is too large. */
export function fitMessage(message: Message, maxBytes: number = limits.responseBytes): Message {
  if (fits(message, maxBytes)) return message;
  throw new ProtocolError('UNSUPPORTED_OPERATION', 'The reply is too large for one response');
}

/**
 * An event within what readers of streams take. A task whose artifacts alone are too large comes without their content:
 * the stream is for what follows, and GetTask has the whole.
 */
export function fitEvent(event: StreamResponse, maxBytes: number = limits.streamEventBytes): StreamResponse {
  if ('message' in event) return { message: fitMessage(event.message, maxBytes) };
  if (!('task' in event)) return event;
  const { history: _history, ...rest } = event.task;
  if (fits(rest, maxBytes)) return { task: fitTask(event.task, maxBytes) };
  const artifacts = event.task.artifacts?.map((artifact) => ({ ...artifact, parts: [TOO_LARGE] })) ?? [];
  return { task: fitTask({ ...event.task, artifacts }, maxBytes) };
}

/** One character of JSON text is at most three bytes on the wire, so that almost every answer is judged by its length. */
function fits(value: unknown, maxBytes: number): boolean {
  return JSON.stringify(value).length * 3 <= maxBytes || wireBytes(value) <= maxBytes;
}

/** In UTF-8 and as a JSON string, which is how a body travels inside a Lambda response. */
export function wireBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
