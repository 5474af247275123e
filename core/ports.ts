/**
 * What the core needs from outside. Implementations: aws/ (DynamoDB, SQS, Scheduler), local/ (in process) and the
 * fakes in test/fakes. Each port has one contract suite in test/contracts that every implementation passes.
 */
import type { Agent } from './agent.ts';
import type { Metric, TimeMetric, TimerKind } from './effects.ts';
import type { PushPorts } from './push/ports.ts';
import type { QueueMessage } from './queue-message.ts';
import type { Child, LogEntry, Mark, StepRecord, TaskHead } from './task.ts';
import type { FoundTasks, ListPosition, TaskFilter } from './task-list.ts';

/** Somebody else's write came first: here is the head as it is now (undefined: it is gone). */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly actual: TaskHead | undefined;
  constructor(actual: TaskHead | undefined) {
    super('the task changed meanwhile');
    this.actual = actual;
  }
}

export interface Lease {
  readonly token: string;
  readonly untilMs: number;
}

/**
 * Throws `RetryableError` where the store does not answer or throttles, and `Conflict` where a condition failed. A
 * write that did reach the store, though its answer was lost, counts as made: implementations recognise their own
 * write in the item before they report a conflict.
 */
export interface TaskStore {
  /** Writes `children`, then the head if there is none with this id. */
  create(head: TaskHead, children: readonly Child[]): Promise<{ created: TaskHead } | { exists: TaskHead }>;
  /** Strongly consistent. */
  load(taskId: string): Promise<TaskHead | undefined>;
  /** Writes `children`, then `next` if the head still has `previous.version`; `next.version` must be one more. */
  save(previous: TaskHead, next: TaskHead, children?: readonly Child[]): Promise<TaskHead>;
  /**
   * Claims a requested turn in one write without reading first. The head becomes what `transition` makes of a claim.
   * Undefined when the turn is not there to be claimed so, or `due` would have to move (`keepsDue` of
   * core/transition/claim.ts); the caller then loads and decides.
   */
  claim(taskId: string, turn: number, lease: Lease, nowMs: number): Promise<TaskHead | undefined>;
  /** Every STEP item of the task, by call number. Strongly consistent. */
  steps(head: TaskHead): Promise<readonly StepRecord[]>;
  /** Puts a step result if none stands under its number; answers with the one that stands then. */
  putStep(head: TaskHead, record: StepRecord, children?: readonly Child[]): Promise<StepRecord>;
  /** Entries that have left the head, newest last: at most `limit` of those with seq below `beforeSeq`. */
  logBefore(head: TaskHead, beforeSeq: number, limit: number): Promise<readonly LogEntry[]>;
  /** The JSON of a blob; undefined when it is not there. */
  blob(head: TaskHead, hash: string): Promise<string | undefined>;
  secret(head: TaskHead, id: string): Promise<string | undefined>;
  /** A mark that has left the head. */
  mark(head: TaskHead, id: string): Promise<Mark | undefined>;
  dropSecrets(taskId: string): Promise<void>;
  /** Deletes one; one that is not there counts as deleted. */
  dropSecret(taskId: string, id: string): Promise<void>;
  /** Ids of tasks of one shard whose due time has passed, earliest first; a hint, eventually consistent. */
  due(shard: number, nowMs: number, limit: number): Promise<readonly string[]>;
  /** Deletes children first and the head last, if it still has this version. */
  remove(head: TaskHead): Promise<void>;
  /** The heads of these tasks that exist, in no particular order. Strongly consistent. */
  loadAll(taskIds: readonly string[]): Promise<readonly TaskHead[]>;
  /**
   * An owner's tasks behind `after`, in the order of `ListPosition`: at most `limit`, fewer where a search has taken
   * long enough. As the index has them, which is a hint; the heads decide.
   */
  ownerTasks(filter: TaskFilter, after: ListPosition | undefined, limit: number): Promise<FoundTasks>;
  /** How many tasks the index has for the filter; looks at `mostEntries` of its entries at most. */
  countOwnerTasks(filter: TaskFilter, mostEntries: number): Promise<number>;
  /** Ids of an owner's tasks in one context, at most `limit`; a hint as well: one may be somebody else's, or nobody's. */
  contextTasks(owner: string, contextId: string, limit: number): Promise<readonly string[]>;
}

export interface TurnQueue {
  /** Throws RetryableError; the caller logs and counts it, the head's `due` covers it. */
  send(message: QueueMessage, delayMs?: number): Promise<void>;
}

export interface Deadlines {
  /** Makes a one-shot timer; one that is there already counts as made. */
  set(timer: Timer): Promise<void>;
  /** Deletes it; one that is not there counts as deleted. */
  delete(timer: Omit<Timer, 'atMs'>): Promise<void>;
}

export interface Timer {
  readonly taskId: string;
  /** Ordinal of the ask, and of the hold where `timer` is `release`; so it stands in schedules that were made before. */
  readonly ask: number;
  readonly timer: TimerKind;
  readonly atMs: number;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`, at most 2^31 - 1, unless what it gives back is called before. */
  after(ms: number, run: () => void): () => void;
}

export interface Ids {
  /** A new unguessable string of at least 96 bits: lease tokens, ids of tasks without idempotency. */
  unique(): string;
}

/**
 * Encrypts `writeOnly` values; `context` is bound to the ciphertext. Both throw a `RetryableError` when the key cannot be
 * read at the moment.
 */
export interface Cipher {
  seal(plain: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
}

/** Vouches for what a caller carries for us, as page tokens. */
export interface Signer {
  /**
   * A code in base64url that nobody without this deployment's secret can make for `text`.
   * @throws RetryableError when the secret cannot be read at the moment
   */
  sign(text: string): Promise<string>;
}

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  count(metric: Metric): void;
  /** @param ms milliseconds, not negative */
  measure(metric: TimeMetric, ms: number): void;
}

/** Wakes whoever waits for a task in this process; others poll. */
export interface Wake {
  /** Resolves when `notify` is called for the task, or after `ms`. */
  wait(taskId: string, ms: number, signal?: AbortSignal): Promise<void>;
  notify(taskId: string): void;
}

/** Everything an operation may use; wired once per process (functions/wiring.ts, local/, tests). */
export interface Deps {
  readonly store: TaskStore;
  readonly queue: TurnQueue;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cipher: Cipher;
  readonly signer: Signer;
  readonly wake: Wake;
  readonly log: Log;
  readonly agent: Agent;
  readonly push?: PushPorts;
  /**
   * The agent's public address, without a slash at its end, for addresses that others call back; undefined while it is
   * not known. Absent where there is no secret key: nobody may then be called back, for anybody could make the code.
   */
  readonly baseUrl?: () => string | undefined;
}
