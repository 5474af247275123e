/**
 * Log entries as compact JSON values: they are most of a head, and every write of the head pays for all of them. What an
 * entry has in common with its task is left out.
 */
import type { Message, TaskState } from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import type { Kept, LogEntry, TaskHead } from '../core/task.ts';

/** The value itself, or hash and size of its blob. */
export type Packed = readonly [blob: string, bytes: number] | object;

/** Whose entries they are. */
export type LogOwner = Pick<TaskHead, 'taskId' | 'contextId' | 'bornMs'>;

/** What is undefined is not written. */
export interface PackedEntry {
  /** seq, ms since the task was born, generation, state without `TASK_STATE_`, transient */
  readonly s: number;
  readonly t: number;
  readonly g: number | undefined;
  readonly st: string | undefined;
  readonly p: 1 | undefined;
  /** received, message, artifact */
  readonly r: Packed | undefined;
  readonly m: Packed | undefined;
  readonly a: Packed | undefined;
  /** What the message has as usual and lacks here, as a sum: 1 this task, 2 this context, 4 the role, 8 the extension. */
  readonly o: number | undefined;
  /** reminds */
  readonly q: number | undefined;
}

const STATE = 'TASK_STATE_';
const OWN_TASK = 1;
const OWN_CONTEXT = 2;
const OWN_ROLE = 4;
const QUESTION = 8;

export function packEntry(entry: LogEntry, owner: LogOwner): PackedEntry {
  const { seq, atMs, generation, state, transient, received, message, artifact, reminds } = entry;
  // Never both.
  const said = received ?? message;
  const usual = said && 'value' in said ? usualOf(said.value, owner, roleOf(received)) : 0;
  const packed = said && ('value' in said ? without(said.value, usual) : pack(said));
  return {
    s: seq,
    t: atMs - owner.bornMs,
    g: generation,
    st: state?.slice(STATE.length),
    p: transient ? 1 : undefined,
    r: received && packed,
    m: message && packed,
    a: artifact && pack(artifact),
    o: usual || undefined,
    q: reminds,
  };
}

export function unpackEntry({ s, t, g, st, p, r, m, a, o = 0, q }: PackedEntry, owner: LogOwner): LogEntry {
  return {
    seq: s,
    atMs: owner.bornMs + t,
    ...(g === undefined ? {} : { generation: g }),
    ...(st === undefined ? {} : { state: `${STATE}${st}` as TaskState }),
    ...(r ? { received: unpack<Message>(withUsual(r, o, owner, roleOf(r))) } : {}),
    ...(m ? { message: unpack<Message>(withUsual(m, o, owner, roleOf(undefined))) } : {}),
    ...(p ? { transient: true } : {}),
    ...(a ? { artifact: unpack(a) } : {}),
    ...(q === undefined ? {} : { reminds: q }),
  };
}

function roleOf(received: object | undefined): Message['role'] {
  return received ? 'ROLE_USER' : 'ROLE_AGENT';
}

/** What nearly every message says, in 80 bytes and more, and what is known where it lies. */
function usualOf({ taskId, contextId, role, extensions }: Message, owner: LogOwner, usualRole: string): number {
  return (
    (taskId === owner.taskId ? OWN_TASK : 0) |
    (contextId === owner.contextId ? OWN_CONTEXT : 0) |
    (role === usualRole ? OWN_ROLE : 0) |
    (extensions?.length === 1 && extensions[0] === QUESTION_EXTENSION_URI ? QUESTION : 0)
  );
}

function without({ taskId, contextId, role, extensions, ...rest }: Message, usual: number): Partial<Message> {
  return {
    ...rest,
    ...(taskId === undefined || usual & OWN_TASK ? {} : { taskId }),
    ...(contextId === undefined || usual & OWN_CONTEXT ? {} : { contextId }),
    ...(usual & OWN_ROLE ? {} : { role }),
    ...(extensions === undefined || usual & QUESTION ? {} : { extensions }),
  };
}

function withUsual(packed: Packed, usual: number, { taskId, contextId }: LogOwner, role: Message['role']): Packed {
  if (usual === 0) return packed;
  return {
    ...packed,
    ...(usual & OWN_TASK ? { taskId } : {}),
    ...(usual & OWN_CONTEXT ? { contextId } : {}),
    ...(usual & OWN_ROLE ? { role } : {}),
    ...(usual & QUESTION ? { extensions: [QUESTION_EXTENSION_URI] } : {}),
  };
}

/** Of messages and artifact chunks: they are objects, never arrays. */
export function pack(kept: Kept<object>): Packed {
  return 'value' in kept ? kept.value : [kept.blob, kept.bytes];
}

export function unpack<T extends object>(packed: Packed): Kept<T> {
  return Array.isArray(packed) ? { blob: packed[0], bytes: packed[1] } : { value: packed as T };
}
