/**
 * A log entry as the event that streams and webhooks deliver (A2A 3.2.3, 4.2). Its generation stands in its metadata
 * under our extension; together with the task's id it names the event for good.
 */
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message, Part, TaskEvent } from '../message.ts';
import type { TaskStore } from '../ports.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { LogEntry, TaskHead } from '../task.ts';
import { entryAt } from './entries.ts';
import { resolveKept } from './kept.ts';

/** An entry that is an event. */
export type EventEntry = LogEntry & { readonly generation: number };

export function isEvent(entry: LogEntry): entry is EventEntry {
  return entry.generation !== undefined;
}

/**
 * What a caller said when it answered is part of the history and not of the event: the event says that the task works
 * again.
 */
export async function viewEvent(store: TaskStore, head: TaskHead, entry: EventEntry): Promise<TaskEvent> {
  const { taskId, contextId } = head;
  const metadata = { [QUESTION_EXTENSION_URI]: { generation: entry.generation } };
  if (entry.artifact) {
    const { artifact, append, lastChunk } = await resolveKept(store, head, entry.artifact);
    const chunk = { ...(append ? { append } : {}), ...(lastChunk ? { lastChunk } : {}) };
    if (jsonBytes(artifact) <= limits.streamEventBytes) {
      return { artifactUpdate: { taskId, contextId, artifact, ...chunk, metadata } };
    }
    const named = { ...artifact, parts: [TOO_LARGE] };
    return { artifactUpdate: { taskId, contextId, artifact: named, ...chunk, metadata } };
  }
  const message = await eventMessage(store, head, entry);
  const status = {
    state: entry.state ?? head.status.state,
    ...(message ? { message } : {}),
    timestamp: new Date(entry.atMs).toISOString(),
  };
  return { statusUpdate: { taskId, contextId, status, metadata } };
}

/** A reminder says again what its question says, and that it is one. */
async function eventMessage(store: TaskStore, head: TaskHead, entry: EventEntry): Promise<Message | undefined> {
  if (entry.reminds === undefined) return entry.message && resolveKept(store, head, entry.message);
  const asked = await entryAt(store, head, entry.reminds);
  if (!asked?.message) throw new Error(`task ${head.taskId} has no question at ${entry.reminds}`);
  const message = await resolveKept(store, head, asked.message);
  return { ...message, metadata: { ...message.metadata, [QUESTION_EXTENSION_URI]: { reminder: true } } };
}

/** Stands for a chunk that would be cut by its reader; nothing of it is lost, only delivered in another way. */
export const TOO_LARGE: Part = {
  text: 'This part of the artifact is too large for one event. Get the task to read it.',
  metadata: { [QUESTION_EXTENSION_URI]: { omitted: 'TOO_LARGE' } },
};
