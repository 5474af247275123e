/**
 * The task as its owner sees it (A2A 4.1.1): status with the open question, artifacts, and as much of the history as
 * was asked for. Each history message carries when it was recorded, under our extension.
 */
import { limits } from '../limits.ts';
import type { Artifact, Message, Task } from '../message.ts';
import type { TaskStore } from '../ports.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { ArtifactChunk, Kept, LogEntry, TaskHead } from '../task.ts';
import { entriesFrom, newestHistory, said, statusMessage } from './entries.ts';
import { resolveAll, resolveKept } from './kept.ts';

/**
 * @param historyLength unset: the newest 100 messages; 0: none, and the head alone is read while it holds the artifacts
 * @param metadata added to the task's metadata under our extension
 */
export async function viewTask(
  store: TaskStore,
  head: TaskHead,
  historyLength?: number,
  metadata: { readonly [key: string]: string } = {},
): Promise<Task> {
  const count = Math.min(historyLength ?? limits.historyDefault, limits.messagesPerTask);
  const question = statusMessage(head);
  const [message, artifacts, history] = await Promise.all([
    question ? resolveKept(store, head, question) : undefined,
    viewArtifacts(store, head),
    viewHistory(store, head, count),
  ]);
  return {
    id: head.taskId,
    contextId: head.contextId,
    status: {
      state: head.status.state,
      ...(message ? { message } : {}),
      timestamp: new Date(head.status.atMs).toISOString(),
    },
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(history.length > 0 ? { history } : {}),
    metadata: { [QUESTION_EXTENSION_URI]: { generation: head.generation, ...metadata } },
  };
}

async function viewHistory(store: TaskStore, head: TaskHead, count: number): Promise<readonly Message[]> {
  const entries = await newestHistory(store, head, count);
  return resolveAll(entries, async (entry) =>
    withTime(await resolveKept(store, head, said(entry) as Kept<Message>), entry, head),
  );
}

function withTime(message: Message, entry: LogEntry, head: TaskHead): Message {
  const own = message.metadata?.[QUESTION_EXTENSION_URI];
  const known = typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {};
  return {
    ...message,
    taskId: head.taskId,
    contextId: head.contextId,
    metadata: {
      ...message.metadata,
      [QUESTION_EXTENSION_URI]: { ...known, recordedAt: new Date(entry.atMs).toISOString() },
    },
  };
}

/** Chunks are joined here, in the order of their events. */
async function viewArtifacts(store: TaskStore, head: TaskHead): Promise<readonly Artifact[]> {
  if (head.firstArtifactSeq === undefined) return [];
  const entries = await entriesFrom(store, head, head.firstArtifactSeq);
  const chunks = entries
    .map((entry) => entry.artifact)
    .filter((kept): kept is Kept<ArtifactChunk> => kept !== undefined);
  const artifacts = new Map<string, Artifact>();
  for (const { artifact, append } of await resolveAll(chunks, (kept) => resolveKept(store, head, kept))) {
    const before = append ? artifacts.get(artifact.artifactId) : undefined;
    artifacts.set(artifact.artifactId, before ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact);
  }
  return [...artifacts.values()];
}
