/**
 * Answers in the form of A2A 0.3's HTTP+JSON: the JSON of 0.3's protobuf, whose messages have `content`, whose files and
 * data are objects of their own, and which is not the form of 0.3's JSON-RPC.
 */
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
import { dataOf } from './rpc-write.ts';
import { restState } from './task-states.ts';

export function writeResponse(response: StreamResponse): object {
  if ('task' in response) return { task: writeTask(response.task) };
  if ('message' in response) return { message: writeMessage(response.message) };
  if ('statusUpdate' in response) {
    const { status, ...rest } = response.statusUpdate;
    const final = isTerminal(status.state) ? true : undefined;
    return { statusUpdate: defined({ ...rest, status: writeStatus(status), final }) };
  }
  const { artifact, ...rest } = response.artifactUpdate;
  return { artifactUpdate: { ...rest, artifact: writeArtifact(artifact) } };
}

export function writeTask({ status, history, artifacts, ...rest }: Task): object {
  return defined({
    ...rest,
    status: writeStatus(status),
    artifacts: artifacts?.map(writeArtifact),
    history: history?.map(writeMessage),
  });
}

function writeStatus({ state, message, timestamp }: TaskStatus): object {
  return defined({ state: restState(state), message: message && writeMessage(message), timestamp });
}

/** 0.3's protobuf has no place for referenced tasks. */
function writeMessage({ parts, referenceTaskIds: _noPlace, ...rest }: Message): object {
  return { ...rest, content: parts.map(writePart) };
}

function writeArtifact({ parts, ...rest }: Artifact): object {
  return { ...rest, parts: parts.map(writePart) };
}

function writePart({ text, raw, url, data, mediaType, filename, metadata }: Part): object {
  if (text !== undefined) return defined({ text, metadata });
  if (data === undefined) {
    const file = defined({ fileWithBytes: raw, fileWithUri: url, mimeType: mediaType, name: filename });
    return defined({ file, metadata });
  }
  const wrapped = dataOf(data, metadata);
  return defined({ data: { data: wrapped.data }, metadata: wrapped.metadata });
}
