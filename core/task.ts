/**
 * The task head: everything about a task that one conditional write must change together (design: one item, no
 * transactions), and the child items it names. Shapes only; the moves are in transition/.
 */
import type { Delegate } from './delegate.ts';
import type { Hold, HoldEndRecord, HoldRecord } from './hold.ts';
import type { Json } from './json.ts';
import type { Artifact, Message, TaskState } from './message.ts';
import type { AuthRecord, OpenAuth } from './auth-request.ts';
import type { OnExpire, RelayedQuestion } from './question/types.ts';

/** A value that is either here or, over a limit, in a BLOB item named by the SHA-256 of its JSON (base64url). */
export type Kept<T> = { readonly value: T } | { readonly blob: string; readonly bytes: number };

/**
 * One change of the task's record. With `generation` it is an event on streams; with a message it is part of the
 * history (unless `transient`). An accepted answer is both: the caller's message, and the move to working.
 */
export interface LogEntry {
  readonly seq: number;
  readonly atMs: number;
  /** Present on events only: 1 at creation, +1 for each status or artifact event. */
  readonly generation?: number;
  /** Present on status events. */
  readonly state?: TaskState;
  /** What the caller sent. */
  readonly received?: Kept<Message>;
  /** The status message of this event. Never beside `received`. */
  readonly message?: Kept<Message>;
  /** Progress: on streams, not in the history. */
  readonly transient?: true;
  /** Present on artifact events. */
  readonly artifact?: Kept<ArtifactChunk>;
  /** A reminder: the entry whose question it repeats. Has no message of its own. */
  readonly reminds?: number;
}

export interface ArtifactChunk {
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** What de-duplication remembers of a message; both are truncated SHA-256 in base64url (ids.ts). */
export interface Mark {
  readonly id: string;
  readonly digest: string;
  /** The message may have held `writeOnly` values: its content is not in the digest. */
  readonly hidden?: true;
}

/**
 * requested: a queue message is owed. running: leased. parked: waits for `parked.for` until `parked.untilMs`.
 * idle: a question is open, or the task has ended.
 */
export type Phase = 'requested' | 'running' | 'parked' | 'idle';

export interface Turn {
  readonly n: number;
  readonly phase: Phase;
  /** Claims since the last commit that ended a turn. */
  readonly attempts: number;
  readonly lease?: { readonly token: string; readonly untilMs: number };
  readonly parked?:
    | { readonly for: 'retry'; readonly untilMs: number }
    /** A sub-task: `call` is that of the delegate. */
    | { readonly for: 'delegate'; readonly call: number; readonly untilMs: number };
  /** requested only: when the sweeper sends the queue message again, and after which interval. */
  readonly dispatch?: { readonly dueMs: number; readonly intervalMs: number };
}

/** The open question. Text, schema and options stand in the status message; this is what deciding needs. */
export interface OpenAsk {
  /** Number of the call on the turn. */
  readonly call: number;
  readonly name: string;
  /** Ordinal of the ask in the task, from 1: names its timers. Kept by re-asks. */
  readonly ask: number;
  readonly questionId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly expiresAtMs: number;
  /** Reminders that are still to come, soonest first; absent: none. */
  readonly remindAtMs?: readonly number[];
  readonly onExpire: OnExpire;
  /** The author's schema was not an object: answers are wrapped as `value`. */
  readonly wrapped?: true;
  /** The author gave `parseText`: text that cannot be mapped goes to the next turn as it is. */
  readonly parsesText?: true;
  readonly allowOther?: true;
  /** Direct properties of the root that are `writeOnly`. */
  readonly secret?: readonly string[];
  readonly relays?: RelayedQuestion;
}

/**
 * A recorded call that lives in the head because it changed together with it. Older ones move to STEP items.
 * `value` of an answered ask is what the schema accepted, without `writeOnly` properties.
 */
export type CallRecord = AskRecord | ArtifactRecord | AuthRecord | HoldRecord | HoldEndRecord;

export type AskOutcome = 'answered' | 'declined' | 'expired' | 'defaulted';

/** Call and name stand in the record itself. */
export type ClosedAsk = Omit<OpenAsk, 'call' | 'name'>;

export interface AskRecord {
  readonly kind: 'ask';
  readonly call: number;
  readonly name: string;
  readonly outcome: AskOutcome;
  /** The ask as it was when it closed, so that a turn whose own checks refuse the answer can ask again. */
  readonly open: ClosedAsk;
  /** Present when answered (by a value) or defaulted. */
  readonly value?: Kept<Json>;
  /** Present when answered by text that the author's `parseText` is to read. */
  readonly text?: Kept<string>;
  /** What the author's own checks made of `value` or `text`, in their place: final. */
  readonly checked?: Kept<Json>;
  readonly declineReason?: string;
  /** Present when answered or declined: whose message won. */
  readonly messageId?: string;
  /** Present when the answer held `writeOnly` properties: names the SECRET item. */
  readonly secret?: string;
  /** Seq of the log entry that holds the question's message. */
  readonly questionSeq: number;
}

export interface ArtifactRecord {
  readonly kind: 'artifact';
  readonly call: number;
  readonly name: string;
}

/** Where the notifications of a task go; the configs themselves are PUSH items (push/config.ts). */
export interface TaskPush {
  /** Every commit with an event pokes these. An id here may have no item any more, never the other way round. */
  readonly ids: readonly string[];
  /** When somebody looks whether all has been told, and after which interval; absent: all had been, at the last look. */
  readonly check?: { readonly atMs: number; readonly intervalMs: number };
  /** Those of `ids` whose receiver was given up. */
  readonly gaveUp?: readonly string[];
}

export interface TaskHead {
  readonly taskId: string;
  readonly agent: string;
  /** Owner key (ids.ts): tenant and authenticated principal. */
  readonly owner: string;
  readonly contextId: string;
  /** Creation time; children carry it, so that a task id that comes back inherits nothing. */
  readonly bornMs: number;
  /** Compare-and-set: every write of the head adds 1 and names the version it was computed from. */
  readonly version: number;
  /** Number of the newest log entry. */
  readonly seq: number;
  readonly generation: number;
  readonly status: {
    readonly state: TaskState;
    readonly atMs: number;
    /** The log entry of this status event. */
    readonly seq: number;
    /** The status message, only once its log entry has left the head. */
    readonly message?: Kept<Message>;
  };
  readonly turn: Turn;
  /** Present exactly while the state is input-required. */
  readonly ask?: OpenAsk;
  /** Present exactly while the state is auth-required. */
  readonly auth?: OpenAuth;
  /** Newest recorded asks and artifacts, oldest first. */
  readonly calls: readonly CallRecord[];
  /** Asks whose timers the next lease holder deletes. */
  readonly staleTimers: readonly number[];
  /** Seqs of messages accepted while the task was not asking and not yet read by the agent. */
  readonly unread: readonly number[];
  /** The agent was told once of unread messages when it wanted to end (value: newest seq it was told of). */
  readonly toldUnread?: number;
  readonly marks: readonly Mark[];
  /** Newest log entries, in order, without gaps; older ones are in LOG items. */
  readonly log: readonly LogEntry[];
  /** How often each limited thing has happened. */
  readonly used: {
    readonly messages: number;
    readonly asks: number;
    readonly questions: number;
    readonly artifacts: number;
    readonly artifactBytes: number;
    /** Absent: none. */
    readonly holds?: number;
    readonly delegates?: number;
  };
  /** Seq of the first artifact entry; absent while there is none. Tells a reader whether LOG items hold artifacts. */
  readonly firstArtifactSeq?: number;
  /** STEP items may exist; absent: what was recorded stands in `calls`, but for a worker that could not say so. */
  readonly steps?: true;
  /** SECRET items exist and are deleted when the task ends. */
  readonly secrets: boolean;
  /** Absent: nobody has registered for push notifications. */
  readonly push?: TaskPush;
  /** Neither confirmed nor released, in the order of their n; absent: none. */
  readonly holds?: readonly Hold[];
  /** The n of the holds that were confirmed and not given back since; absent: none. */
  readonly confirmed?: readonly number[];
  /** Absent: none. */
  readonly delegates?: readonly Delegate[];
  /** The earliest time at which something must happen to this task. */
  readonly dueMs: number;
}

/** The recorded result of one call on the turn, put if absent: who loses takes what is there. */
export interface StepRecord {
  readonly call: number;
  readonly kind:
    | 'step'
    | 'ask'
    | 'auth'
    | 'artifact'
    | 'inbox'
    | 'now'
    | 'random'
    | 'delegate'
    | 'wait'
    | 'hold'
    | 'confirm'
    | 'release';
  readonly name: string;
  readonly result:
    | { readonly ok: Kept<Json> }
    | { readonly error: { readonly name: string; readonly message: string } }
    /** An ask that has left the head, as it stood there. */
    | { readonly record: CallRecord };
}

/** Items written before the head that names them; each may be written again with the same bytes. */
export type Child =
  | { readonly kind: 'blob'; readonly hash: string; readonly json: string }
  | { readonly kind: 'log'; readonly chunk: number; readonly entries: readonly LogEntry[] }
  | { readonly kind: 'step'; readonly record: StepRecord }
  | { readonly kind: 'secret'; readonly id: string; readonly sealed: string }
  /** A mark that has left the head. */
  | { readonly kind: 'mark'; readonly mark: Mark };
