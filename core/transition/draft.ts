/**
 * A head on its way to the next version: what every move does in the same manner. Values over a limit become blobs,
 * events take the next generation, and old entries leave the head in whole chunks.
 */
import type { Effect } from '../effects.ts';
import { blobHash } from '../ids.ts';
import { type JsonObject, jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message, TaskState } from '../message.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { AskRecord, Child, Kept, LogEntry, Mark, TaskHead } from '../task.ts';
import type { EmitEvent } from './command.ts';
import { deleteTimers } from './timers.ts';

export interface Draft {
  /** Nobody else's: changed in place until the draft is done. */
  head: TaskHead;
  /** The head as it was read, left alone: what it holds has happened, whoever wins. */
  readonly committed: TaskHead;
  readonly children: Child[];
  readonly effects: Effect[];
  readonly nowMs: number;
}

export function draftOf(head: TaskHead, nowMs: number): Draft {
  return { head: { ...head, version: head.version + 1 }, committed: head, children: [], effects: [], nowMs };
}

/** Sets fields of the head, which is the draft's own copy. */
export function set(draft: Draft, fields: Partial<TaskHead>): void {
  Object.assign(draft.head, fields);
}

/** The value itself, or a reference to a blob that is written before the head. */
export function keep<T>(draft: Draft, value: T): Kept<T> {
  const bytes = jsonBytes(value);
  if (bytes <= limits.headInlineBytes) return { value };
  const json = JSON.stringify(value);
  const hash = blobHash(json);
  draft.children.push({ kind: 'blob', hash, json });
  return { blob: hash, bytes };
}

/** Appends one entry and answers its seq; an entry marked as an event takes the next generation. */
export function append(draft: Draft, entry: Omit<LogEntry, 'seq' | 'atMs' | 'generation'>, event: boolean): number {
  const { head } = draft;
  const seq = head.seq + 1;
  const generation = event ? head.generation + 1 : head.generation;
  const full: LogEntry = { seq, atMs: draft.nowMs, ...(event ? { generation } : {}), ...entry };
  set(draft, { seq, generation, log: [...head.log, full] });
  if (event) pokePush(draft);
  return seq;
}

/** Whoever registered hears of the event: now, or, should the poke be lost, when the sweeper looks. */
function pokePush(draft: Draft): void {
  const { taskId, push } = draft.head;
  if (!push) return;
  const intervalMs = limits.pushCheckMs;
  set(draft, { push: { ...push, check: { atMs: draft.nowMs + intervalMs, intervalMs } } });
  if (draft.effects.some((effect) => effect.kind === 'poke-push')) return;
  draft.effects.push({ kind: 'poke-push', taskId, configIds: push.ids });
}

/** Moves the task to a state with one event: with a status message of ours, or the caller's message that caused it. */
export function moveTo(draft: Draft, state: TaskState, by: { message?: Message; received?: Message } = {}): void {
  const said = by.message
    ? { message: keep(draft, by.message) }
    : by.received
      ? { received: keep(draft, by.received) }
      : {};
  const seq = append(draft, { state, ...said }, true);
  set(draft, { status: { state, atMs: draft.nowMs, seq } });
}

/** Records a caller's message that changes no state. */
export function appendMessage(draft: Draft, message: Message): number {
  return append(draft, { received: keep(draft, message) }, false);
}

/** Counts a caller's message and remembers its mark; the oldest marks make room and become items of their own. */
export function remember(draft: Draft, mark: Mark): void {
  const { head } = draft;
  const marks = [...head.marks, mark];
  // What leaves was committed long ago, so it may be written whoever wins.
  for (const old of marks.slice(0, -limits.headMarks)) draft.children.push({ kind: 'mark', mark: old });
  set(draft, {
    marks: marks.slice(-limits.headMarks),
    used: { ...head.used, messages: head.used.messages + 1 },
  });
}

/** Owes a turn: the queue message, and the time at which the sweeper sends it again. */
export function request(draft: Draft, turn: number, attempts: number): void {
  const intervalMs = limits.redispatchMs;
  set(draft, {
    turn: { n: turn, phase: 'requested', attempts, dispatch: { dueMs: draft.nowMs + intervalMs, intervalMs } },
  });
  draft.effects.push({ kind: 'dispatch', taskId: draft.head.taskId, turn });
}

/** The turn is over and nothing is owed. */
export function rest(draft: Draft): void {
  set(draft, { turn: { n: draft.head.turn.n, phase: 'idle', attempts: 0 } });
}

/** A status message of ours, with the machine-readable reason beside the text. */
export function statusText(head: TaskHead, text: string, reason: StatusReason): Message {
  return agentMessage(head, text, { [QUESTION_EXTENSION_URI]: { ...reason } });
}

/** Its id is that of the log entry it comes to stand in. */
function agentMessage({ taskId, contextId, seq }: TaskHead, text: string, metadata?: JsonObject): Message {
  return {
    messageId: `s-${taskId.slice(0, 16)}-${seq + 1}`,
    taskId,
    contextId,
    role: 'ROLE_AGENT',
    parts: [{ text }],
    ...(metadata ? { metadata } : {}),
  };
}

export interface StatusReason {
  readonly reason:
    | 'NO_VALID_ANSWER'
    | 'QUESTION_EXPIRED'
    | 'QUESTION_EXPIRED_RESUMED'
    | 'QUESTION_DEFAULTED'
    | 'AUTH_EXPIRED'
    | 'AUTH_EXPIRED_RESUMED'
    | 'AGENT_FAILED'
    | 'AGENT_ENDED';
  readonly [key: string]: string;
}

/** Takes what the task waits for out of the head: the open question, or the authorisation. */
export function closeWait(draft: Draft): void {
  const { ask: _ask, auth: _auth, ...rest } = draft.head;
  draft.head = rest;
}

/** Timers of asks that are over are deleted with the first write after the answer; `reopened` keeps its own. */
export function dropStaleTimers(draft: Draft, reopened?: number): void {
  const { head } = draft;
  if (head.staleTimers.length === 0) return;
  for (const ask of head.staleTimers) {
    if (ask === reopened) continue;
    const record = head.calls.find((call): call is AskRecord => call.kind === 'ask' && call.open.ask === ask);
    draft.effects.push(...deleteTimers(head.taskId, record?.open ?? { ask, expiresAtMs: 0 }));
  }
  set(draft, { staleTimers: [] });
}

/** Puts the worker's events into the log. Several in one write are still one event each. */
export function emit(draft: Draft, events: readonly EmitEvent[]): void {
  for (const event of events) {
    if (event.kind === 'progress') {
      const { state } = draft.head.status;
      const message = keep(draft, agentMessage(draft.head, event.text, event.metadata));
      const seq = append(draft, { state, transient: true, message }, true);
      set(draft, { status: { state, atMs: draft.nowMs, seq } });
      continue;
    }
    const { artifact, append: appended, lastChunk } = event;
    const seq = append(draft, { artifact: keep(draft, { artifact, append: appended, lastChunk }) }, true);
    const { head } = draft;
    set(draft, {
      calls: [...head.calls, ...event.calls.map((one) => ({ kind: 'artifact' as const, ...one }))],
      firstArtifactSeq: head.firstArtifactSeq ?? seq,
      used: {
        ...head.used,
        artifacts: head.used.artifacts + (appended ? 0 : 1),
        artifactBytes: head.used.artifactBytes + jsonBytes(artifact),
      },
    });
  }
}
