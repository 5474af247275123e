/**
 * A2A 1.0's data model in its JSON form (ProtoJSON, specification section 4), as it stands on the wire and in the
 * table. Enum values are the protocol's own spellings; nothing here is ours.
 */
import type { Json, JsonObject } from './json.ts';

export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export type TerminalState =
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED';

/** A task that has ended: nothing may change it any more (specification 3.1.1, 4.1.3). */
export function isTerminal(state: TaskState): state is TerminalState {
  return (
    state === 'TASK_STATE_COMPLETED' ||
    state === 'TASK_STATE_FAILED' ||
    state === 'TASK_STATE_CANCELED' ||
    state === 'TASK_STATE_REJECTED'
  );
}

/** A task that waits for its caller (specification 4.1.3). */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

export type Role = 'ROLE_USER' | 'ROLE_AGENT';

/** One of text, raw (base64), url or data; which one is present is the part's kind. */
export interface Part {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly metadata?: JsonObject;
  readonly filename?: string;
  readonly mediaType?: string;
}

/** Whether an author's value is a part: exactly one kind of content, of its own type. */
export function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false;
  const part = value as Part;
  const texts = [part.text, part.raw, part.url].filter((content) => content !== undefined);
  return texts.length + ('data' in part ? 1 : 0) === 1 && texts.every((content) => typeof content === 'string');
}

export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
}

/** The task as a caller sees it. */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

export interface TaskStatusUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

/** `append` and `lastChunk` are left out where they are false. */
export interface TaskArtifactUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  readonly append?: true;
  readonly lastChunk?: true;
  readonly metadata?: JsonObject;
}

export type TaskEvent =
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };

/** What streams and webhooks deliver (specification 3.2.3): exactly one of the four. */
export type StreamResponse = { readonly task: Task } | { readonly message: Message } | TaskEvent;
