/** What `run` is given. Each method is documented here and done elsewhere: this file only puts them together. */
import type { Owner } from '../core/ids.ts';
import type { Message } from '../core/message.ts';
import type { TurnHost } from '../core/turn-host.ts';
import { type ArtifactDescription, Artifacts, type ArtifactSpec, type ArtifactStream } from './artifact.ts';
import { type AskResult, ask, planOf, tryAsk } from './ask.ts';
import { type CollectOptions, collect, type Known } from './collect.ts';
import { type DelegateOptions, type DelegateResult, delegate, type SubAgents } from './delegate.ts';
import { type HoldHandle, type HoldOptions, type Holds, hold } from './hold.ts';
import { inbox } from './inbox.ts';
import type { AskOptions } from './question.ts';
import type { Replay } from './replay.ts';
import type { AnswerOf, AnswerSchema } from './schema.ts';
import { type AuthOptions, requireAuth } from './require-auth.ts';
import { type StepContext, type StepOptions, sampled, step } from './step.ts';

/**
 * One run of the agent's code, from the top. Calls whose result is recorded return at once with that result; the first
 * call without one does its work. So code between calls runs again on every turn and must be free of side effects.
 *
 * `ask`, `fail` and `reject` end the turn: they never settle, and neither does any call after the turn is over, so no
 * catch and no finally of yours runs at a pause. Await every call; run steps in parallel with `Promise.all`.
 */
export interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: Owner;
  /** The message that created the task. */
  readonly request: Message;
  /** The text parts of the request, one to a line. */
  readonly text: string;
  /** Aborts when the turn is over from outside: canceled, taken over by another worker, or out of time. */
  readonly signal: AbortSignal;

  /**
   * Runs `run` at least once and records its result once. The result is JSON, or nothing. What it throws is tried
   * again in place, 3 times in all, then recorded and thrown as StepError, now and on every replay.
   */
  step<T>(name: string, run: (context: StepContext) => T | Promise<T>, options?: StepOptions): Promise<T>;

  /** Asks the caller and goes on, perhaps weeks later, with the answer. Throws DeclinedError and ExpiredError. */
  ask<const S extends AnswerSchema | undefined = undefined>(name: string, options: AskOptions<S>): Promise<AnswerOf<S>>;

  /** As `ask`, and tells declined, expired and defaulted apart instead of throwing. */
  tryAsk<const S extends AnswerSchema | undefined = undefined>(
    name: string,
    options: AskOptions<S>,
  ): Promise<AskResult<AnswerOf<S>>>;

  /**
   * Asks one question for all required properties of `schema` that are missing from `known`, and gives both together.
   * Asks nothing when nothing is missing. Throws as `ask` does.
   */
  collect<const S extends AnswerSchema>(
    name: string,
    schema: S,
    known: Known<S>,
    options?: CollectOptions<S>,
  ): Promise<AnswerOf<S>>;

  /**
   * Has another agent do a task, and goes on, perhaps weeks later, with what came of it; no worker waits. What that agent
   * asks is answered by `resolve`, or by asking this task's own caller as `restate` says. Throws DelegateError where the
   * sub-task did not complete. Parallel delegates run side by side; what they ask is relayed in the order of the calls.
   */
  delegate<const S extends AnswerSchema | undefined = undefined>(
    name: string,
    options: DelegateOptions<S>,
  ): Promise<DelegateResult>;

  /**
   * Waits, perhaps weeks, for a credential that arrives at a one-time address, never in a message, and gives what `use`
   * makes of it. Throws DeclinedError and ExpiredError as `ask` does, and StepError as `step` does.
   */
  requireAuth<T>(name: string, options: AuthOptions<T>): Promise<T>;

  /**
   * Reserves something outside for a time, at most as long as the question that is asked meanwhile is open. It is
   * released when its time has passed, the question comes to nothing or the task ends, unless it was confirmed before.
   * `name` is one of `holds` in the agent module. Throws StepError when `acquire` fails, and HoldGoneError.
   */
  hold<T>(name: string, options: HoldOptions<T>): Promise<HoldHandle<T>>;

  /** Gives the caller an artifact, or a chunk of one. */
  artifact(spec: ArtifactSpec): Promise<{ readonly artifactId: string }>;

  /** An artifact in chunks. Call `end`. */
  artifactStream(name: string, description?: ArtifactDescription): ArtifactStream;

  /** Tells who watches that work goes on. Not recorded and not a call: may be added and removed at any time. */
  progress(text: string): void;

  /** Messages that came while the task was not asking, each once. Needs `onMessage: 'queue'`. */
  inbox(): Promise<readonly Message[]>;

  /** The time of the first run, in milliseconds since the epoch. */
  now(): Promise<number>;

  /** A number in [0, 1), the same on every run. */
  random(): Promise<number>;

  /** Ends the task as failed. The caller reads `reason`. */
  fail(reason: string): Promise<never>;

  /** Ends the task as rejected: the agent will not do it. The caller reads `reason`. */
  reject(reason: string): Promise<never>;
}

/** What the agent module has by name, so that it is found without a turn. */
export interface Names {
  readonly agents?: SubAgents | undefined;
  readonly holds?: Holds | undefined;
}

const HOST: unique symbol = /* @__PURE__ */ Symbol('host');

/** Made when it is asked for: most code never asks. One getter for all turns, since one for each costs a turn 2 µs. */
const SIGNAL: PropertyDescriptor & ThisType<CodeTurn> = {
  enumerable: true,
  get() {
    return this[HOST].signal;
  },
};

/** All that an author may use is a field, so that code may take it off the turn, copy the turn or wrap it. */
export class CodeTurn implements Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: Owner;
  readonly request: Message;
  readonly text: string;
  declare readonly signal: AbortSignal;
  // Declared only: a class with a computed name would stay in every bundle.
  declare [HOST]: TurnHost;
  readonly #replay: Replay;
  readonly #artifacts: Artifacts;
  readonly #agents: SubAgents;
  readonly #holds: Holds;

  constructor(replay: Replay, { agents = {}, holds = {} }: Names = {}) {
    const { taskId, contextId, owner, request } = replay.host;
    this[HOST] = replay.host;
    Object.defineProperty(this, 'signal', SIGNAL);
    this.taskId = taskId;
    this.contextId = contextId;
    this.owner = owner;
    this.request = request;
    this.text = request.parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
    this.#replay = replay;
    this.#artifacts = new Artifacts(replay);
    this.#agents = agents;
    this.#holds = holds;
  }

  /** What the code left undone although it returned. */
  get unfinished(): string | undefined {
    const { unended } = this.#artifacts;
    return unended === undefined ? undefined : `artifact stream "${unended}"`;
  }

  readonly step: Turn['step'] = (name, run, options) => step(this.#replay, name, run, options);

  readonly ask = <S extends AnswerSchema | undefined>(name: string, options: AskOptions<S>) =>
    ask<AnswerOf<S>>(this.#replay, name, planOf(name, options as AskOptions<AnswerSchema | undefined>));

  readonly tryAsk = <S extends AnswerSchema | undefined>(name: string, options: AskOptions<S>) =>
    tryAsk<AnswerOf<S>>(this.#replay, name, planOf(name, options as AskOptions<AnswerSchema | undefined>));

  readonly collect = <S extends AnswerSchema>(name: string, schema: S, known: Known<S>, options?: CollectOptions<S>) =>
    collect<AnswerOf<S>, S>(this.#replay, name, schema, known, options);

  readonly delegate = <S extends AnswerSchema | undefined>(name: string, options: DelegateOptions<S>) =>
    delegate(this.#replay, this.#agents, name, options as unknown as DelegateOptions);

  readonly hold: Turn['hold'] = (name, options) => hold(this.#replay, this.#holds, name, options);
  readonly requireAuth: Turn['requireAuth'] = (name, options) => requireAuth(this.#replay, name, options);
  readonly artifact: Turn['artifact'] = (spec) => this.#artifacts.send(spec);
  readonly artifactStream: Turn['artifactStream'] = (name, description) => this.#artifacts.stream(name, description);

  readonly progress: Turn['progress'] = (text) => {
    if (!this.#replay.closed && !this.#replay.replaying) this.#replay.host.progress(String(text));
  };

  readonly inbox: Turn['inbox'] = () => inbox(this.#replay);
  readonly now: Turn['now'] = () => sampled(this.#replay, 'now', () => this.#replay.host.nowMs());
  readonly random: Turn['random'] = () => sampled(this.#replay, 'random', () => this.#replay.host.random());
  readonly fail: Turn['fail'] = (reason) => this.#end('TASK_STATE_FAILED', reason);
  readonly reject: Turn['reject'] = (reason) => this.#end('TASK_STATE_REJECTED', reason);

  #end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: unknown): Promise<never> {
    return typeof reason === 'string' && reason !== ''
      ? this.#replay.end(state, reason)
      : this.#replay.fault('BAD_CALL', 'fail and reject need a reason that the caller can read');
  }
}
