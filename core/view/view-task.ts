/**
 * The task as its owner sees it (A2A 4.1.1): status with the open question, artifacts, and as much of the history as
 * was asked for. Each history message carries when it was recorded, under our extension.
 */
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Artifact, Message, Task } from '../message.ts';
import { inParallel } from '../parallel.ts';
import type { TaskStore } from '../ports.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { ArtifactChunk, Kept, LogEntry, TaskHead } from '../task.ts';
import { entriesFrom, newestHistory, said, statusMessage } from './entries.ts';
import { keptBytes, resolveKept } from './kept.ts';

/**
 * @param historyLength unset: the newest 100 messages; 0: none, and the head alone is read while it holds the artifacts
 * @param metadata added to the task's metadata under our extension
 */
export async function viewTask(
  store: TaskStore,
  head: TaskHead,
  historyLength: number = limits.historyDefault,
  metadata: JsonObject = {},
): Promise<Task> {
  const whole = viewWithout(store, head, historyLength, metadata);
  if (head.firstArtifactSeq === undefined) return whole;
  const [task, artifacts] = await Promise.all([whole, viewArtifacts(store, head)]);
  return artifacts.length > 0 ? { ...task, artifacts } : task;
}

/**
 * The task as one of a list (A2A 3.1.4): history and artifacts only where they are asked for. Then the field for
 * artifacts is there also when the task has none; otherwise it is left out.
 */
export async function viewListed(
  store: TaskStore,
  head: TaskHead,
  { historyLength = 0, includeArtifacts = false }: { historyLength?: number; includeArtifacts?: boolean },
): Promise<Task> {
  const [task, artifacts] = await Promise.all([
    viewWithout(store, head, historyLength, {}),
    includeArtifacts ? viewArtifacts(store, head) : undefined,
  ]);
  return artifacts ? { ...task, artifacts } : task;
}

/** Everything except the artifacts. */
async function viewWithout(
  store: TaskStore,
  head: TaskHead,
  historyLength: number,
  metadata: JsonObject,
): Promise<Task> {
  const question = statusMessage(head);
  const asked = question && resolveKept(store, head, question);
  // There are no more messages than entries.
  const length = Math.min(historyLength, head.seq);
  const [message, history] =
    length === 0 ? [await asked, []] : await Promise.all([asked, viewHistory(store, head, length)]);
  const { taskId, contextId, status, generation, push } = head;
  const timestamp = new Date(status.atMs).toISOString();
  // Whoever waits for notifications that do not come can see why.
  const pushGivenUp = push?.gaveUp ? { pushGivenUp: push.gaveUp } : undefined;
  return {
    id: taskId,
    contextId,
    status: message ? { state: status.state, message, timestamp } : { state: status.state, timestamp },
    ...(history.length > 0 ? { history } : {}),
    metadata: { [QUESTION_EXTENSION_URI]: { generation, ...pushGivenUp, ...metadata } },
  };
}

async function viewHistory(store: TaskStore, head: TaskHead, count: number): Promise<readonly Message[]> {
  const entries = withinResponse(await newestHistory(store, head, count));
  return inParallel(entries, async (entry) =>
    withTime(await resolveKept(store, head, said(entry) as Kept<Message>), entry, head),
  );
}

/** More than one response can carry is not even read: a hundred messages may be half a gigabyte. */
function withinResponse(entries: readonly LogEntry[]): readonly LogEntry[] {
  let room: number = limits.responseBytes;
  let first = entries.length;
  for (; first > 0; first -= 1) {
    room -= keptBytes(said(entries[first - 1] as LogEntry) as Kept<Message>);
    if (room < 0) break;
  }
  return entries.slice(first);
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
  for (const { artifact, append } of await inParallel(chunks, async (kept) => resolveKept(store, head, kept))) {
    const before = append ? artifacts.get(artifact.artifactId) : undefined;
    artifacts.set(artifact.artifactId, before ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact);
  }
  return [...artifacts.values()];
}
