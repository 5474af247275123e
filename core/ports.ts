/**
 * What the core needs from outside. Implementations: aws/ (DynamoDB, SQS, Scheduler), local/ (in process) and the
 * fakes in test/fakes. Each port has one contract suite in test/contracts that every implementation passes.
 */
import type { Metric, TimerKind } from './effects.ts';
import type { Owner } from './ids.ts';
import type { Json, JsonObject } from './json.ts';
import type { Artifact, Message, Part } from './message.ts';
import type { AnswerError, AskSpec } from './question/types.ts';
import type { PushPorts } from './push/ports.ts';
import type { AskOutcome, Child, LogEntry, Mark, StepRecord, TaskHead } from './task.ts';
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
   * Claims a requested turn in one write without reading first: adds the lease, one attempt and one version, sets
   * `dueMs` to the lease's end; the first claim of a task that is as `create` made it also appends the working event
   * (seq 2, generation 2). Undefined when the head is not exactly so (the caller then loads and decides).
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
  /** Ids of an owner's tasks in one context, at most `limit`, in the order of their ids; a hint as well. */
  contextTasks(owner: string, contextId: string, limit: number): Promise<readonly string[]>;
}

export interface TurnQueue {
  /** Throws RetryableError; the caller logs and counts it, the head's `due` covers it. */
  send(message: TurnMessage, delayMs?: number): Promise<void>;
}

/** All that travels through the queue: the head decides what it means. */
export interface TurnMessage {
  readonly taskId: string;
  readonly turn: number;
}

export interface Deadlines {
  /** Makes a one-shot timer; one that is there already counts as made. */
  set(timer: Timer): Promise<void>;
  /** Deletes it; one that is not there counts as deleted. */
  delete(timer: Omit<Timer, 'atMs'>): Promise<void>;
}

export interface Timer {
  readonly taskId: string;
  readonly ask: number;
  readonly timer: TimerKind;
  readonly atMs: number;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new unguessable string of at least 96 bits: lease tokens, ids of tasks without idempotency. */
  unique(): string;
}

/** Encrypts `writeOnly` values; `context` is bound to the ciphertext. */
export interface Cipher {
  seal(plain: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
}

/** Vouches for what a caller carries for us, as page tokens. */
export interface Signer {
  /** A code in base64url that nobody without this deployment's secret can make for `text`. */
  sign(text: string): string;
}

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  count(metric: Metric): void;
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
}

/** What `defineAgent` makes and the core runs. */
export interface Agent {
  /** Scopes task ids; from the card. */
  readonly name: string;
  readonly card: AgentCardSpec;
  readonly settings: AgentSettings;
  /** Runs the author's code once from the top. Resolves when it returned, rejects with what it threw. */
  run(host: TurnHost): Promise<void>;
  /** Answers a first message without a task; undefined: make a task. */
  reply?(message: Message, owner: Owner): Promise<readonly Part[] | undefined>;
  /** For a message to a task that is not asking. */
  onMessage?(message: Message, owner: Owner): Promise<'reject' | 'queue'>;
  /** What the extended agent card says otherwise to this caller; undefined: it has none for them. */
  extendedCard?(owner: Owner): Promise<Partial<AgentCardSpec> | undefined>;
}

export interface AgentSettings {
  /** 'off': random task ids, no message is a repeat of another. */
  readonly idempotency: 'on' | 'off';
  readonly onMessage: 'reject' | 'queue';
  /** Where streams of this agent end besides the end of the task. */
  readonly streams?: StreamSettings;
  /** What callers may speak; default: all of them. */
  readonly protocolVersions?: readonly ProtocolVersion[];
}

/** Versions of A2A that this server knows; 0.3 is also what a request without a version speaks (section 3.6). */
export type ProtocolVersion = '1.0' | '0.3';

/**
 * Whether a stream closes when its task becomes interrupted, or stays open for what follows. A subscription to a task
 * that is interrupted already stays open in either case: its caller chose to wait.
 */
export interface StreamSettings {
  /** Default 'close': the caller is to answer, which opens a stream of its own. */
  readonly inputRequired?: 'close' | 'stay-open';
  /** Default 'stay-open': the credential comes by another way. */
  readonly authRequired?: 'close' | 'stay-open';
}

/** What an author says about the agent; wire/card.ts completes it with addresses, capabilities and extensions. */
export interface AgentCardSpec {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly skills: readonly AgentSkillSpec[];
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** Beside the question extension, which every agent has; one of its URI changes whether that is required. */
  readonly extensions?: readonly AgentExtensionSpec[];
}

/** An extension of the protocol that the agent's own code understands (A2A 1.0 section 4.6). */
export interface AgentExtensionSpec {
  readonly uri: string;
  readonly description?: string;
  /** Callers who do not name it in `A2A-Extensions` are refused. */
  readonly required?: boolean;
  readonly params?: JsonObject;
}

export interface AgentSkillSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

/**
 * What the core offers the replay layer (agent/) during one turn. Methods that end the turn return a promise that
 * never settles: the runner has already left, so nothing of the author's can swallow a pause.
 * Each takes the call's number, kind and name for the record; agent/ assigns them.
 */
export interface TurnHost {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: Owner;
  /** The message that created the task. */
  readonly request: Message;
  readonly turn: number;
  /** Aborts when the lease is lost, the task is canceled or the worker must stop. */
  readonly signal: AbortSignal;
  nowMs(): number;
  sleep(ms: number): Promise<void>;
  /** In [0, 1). */
  random(): number;
  /** What stands under a call number, from STEP items and the head; undefined: nothing recorded. */
  recorded(call: number): Recorded | undefined;
  /** The highest call number with a record; 0 when there is none. */
  readonly lastRecorded: number;
  /** Records a result unless one stands; answers with what stands then. Never settles when the turn is over. */
  record(call: number, kind: Recorded['kind'], name: string, result: StepResult): Promise<Recorded>;
  /**
   * Opens a question and ends the turn: never settles, except that it rejects with AgentFault for a mistake in `spec`.
   */
  ask(call: number, spec: AskSpec): Promise<never>;
  /** Refuses a recorded answer and asks again (or fails the task at the cap); ends the turn, never settles. */
  reask(call: number, errors: readonly AnswerError[]): Promise<never>;
  artifact(
    call: number,
    name: string,
    chunk: { artifact: Artifact; append: boolean; lastChunk: boolean },
  ): Promise<void>;
  /** Joined with what follows within 250 ms; not recorded. */
  progress(text: string, metadata?: JsonObject): void;
  /** Messages that came while the task was not asking; marks them read once recorded under `call`. */
  inbox(call: number): Promise<readonly Message[]>;
  /** Ends the task. Never settles. */
  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never>;
  /** Leaves the turn to go on in another invocation (the worker's time is up). Never settles. */
  yield(): Promise<never>;
}

export type StepResult =
  | { readonly ok: Json }
  | { readonly error: { readonly name: string; readonly message: string } };

export type Recorded =
  | { readonly kind: 'step' | 'now' | 'random' | 'inbox'; readonly name: string; readonly result: StepResult }
  | { readonly kind: 'artifact'; readonly name: string }
  | { readonly kind: 'ask'; readonly name: string; readonly outcome: RecordedOutcome }
  /** What `record(call, 'ask', ...)` stored after `parseText` and `check` had accepted: final. */
  | { readonly kind: 'ask'; readonly name: string; readonly checked: Json };

/** `writeOnly` properties are back in `value`. */
export type RecordedOutcome =
  | { readonly outcome: Extract<AskOutcome, 'answered'>; readonly value: Json }
  | { readonly outcome: Extract<AskOutcome, 'answered'>; readonly text: string }
  | { readonly outcome: Extract<AskOutcome, 'declined'>; readonly reason?: string }
  | { readonly outcome: Extract<AskOutcome, 'expired'> }
  | { readonly outcome: Extract<AskOutcome, 'defaulted'>; readonly value: Json };
