/**
 * Answers in the form of A2A 0.3's JSON-RPC, and its webhooks: every object says its `kind`, files have an object of their
 * own, states and roles are in lower case.
 */
import { isJsonObject, type JsonObject } from '../../json.ts';
import {
  type Artifact,
  isTerminal,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '../../message.ts';
import { defined } from '../fields.ts';
import { RPC_ROLES, RPC_STATES } from './task-states.ts';

/** In the metadata of a data part whose value is not an object: the value stands under `value`. The official SDKs' name. */
export const WRAPPED_DATA = 'data_part_compat';

/** The result of `message/send`, an event of a stream, the body of a webhook. */
export function writeResponse(response: StreamResponse): object {
  if ('task' in response) return writeTask(response.task);
  if ('message' in response) return writeMessage(response.message);
  if ('statusUpdate' in response) {
    const { taskId, contextId, status, metadata } = response.statusUpdate;
    const final = isTerminal(status.state);
    return defined({ kind: 'status-update', taskId, contextId, status: writeStatus(status), final, metadata });
  }
  const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = response.artifactUpdate;
  const shown = writeArtifact(artifact);
  return defined({ kind: 'artifact-update', taskId, contextId, artifact: shown, append, lastChunk, metadata });
}

export function writeTask({ id, contextId, status, history, artifacts, metadata }: Task): object {
  return defined({
    kind: 'task',
    id,
    contextId,
    status: writeStatus(status),
    history: history?.map(writeMessage),
    artifacts: artifacts?.map(writeArtifact),
    metadata,
  });
}

function writeStatus({ state, message, timestamp }: TaskStatus): object {
  return defined({ state: RPC_STATES[state], message: message && writeMessage(message), timestamp });
}

function writeMessage({ role, parts, ...rest }: Message): object {
  return { kind: 'message', ...rest, role: RPC_ROLES[role], parts: parts.map(writePart) };
}

function writeArtifact({ parts, ...rest }: Artifact): object {
  return { ...rest, parts: parts.map(writePart) };
}

/** Media type and name have a place with files only. */
function writePart({ text, raw, url, data, mediaType, filename, metadata }: Part): object {
  if (text !== undefined) return defined({ kind: 'text', text, metadata });
  if (data === undefined) {
    return defined({
      kind: 'file',
      file: defined({ bytes: raw, uri: url, mimeType: mediaType, name: filename }),
      metadata,
    });
  }
  const wrapped = dataOf(data, metadata);
  return defined({ kind: 'data', ...wrapped });
}

/** 0.3 knows data only as objects. */
export function dataOf(
  data: Part['data'],
  metadata: JsonObject | undefined,
): { readonly data: JsonObject; readonly metadata: JsonObject | undefined } {
  if (isJsonObject(data)) return { data, metadata };
  return { data: { value: data ?? null }, metadata: { ...metadata, [WRAPPED_DATA]: true } };
}
