/** Between the core and the replay layer (agent/): what one turn may do, and what was recorded before. Types only. */
import type { AuthSpec } from './auth-request.ts';
import type { Owner } from './ids.ts';
import type { Json, JsonObject } from './json.ts';
import type { Artifact, Message } from './message.ts';
import type { AnswerError, AskSpec } from './question/types.ts';
import type { Delegate, SubTaskRef } from './delegate.ts';
import type { AskOutcome } from './task.ts';

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
  /** Whether it would be aborted; costs nothing. */
  readonly over: boolean;
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
  /**
   * Has the task wait for an authorisation and ends the turn: never settles, except that it rejects with AgentFault for
   * a mistake in `spec` and where nobody can be called back.
   */
  requireAuth(call: number, spec: AuthSpec): Promise<never>;
  /** The credential of a call that was granted and not used. What `record` then stores under `auth` is final. */
  credential(call: number): Promise<Json>;
  artifact(
    call: number,
    name: string,
    chunk: { artifact: Artifact; append: boolean; lastChunk: boolean },
  ): Promise<void>;
  /** Joined with what follows within 250 ms; not recorded. */
  progress(text: string, metadata?: JsonObject): void;
  /** Messages that came while the task was not asking; marks them read once recorded under `call`. */
  inbox(call: number): Promise<readonly Message[]>;
  /**
   * Writes that a sub-task is about to be begun, before anything is sent; nothing where that is written already. Answers
   * with the message that begins it: what stands, if an earlier worker came as far.
   */
  openDelegate(call: number, spec: DelegateSpec): Promise<Message>;
  /** What the head has of a sub-task that has not been closed, and is not to be canceled either. */
  delegated(call: number): Delegate | undefined;
  /** Takes a sub-task out of the head, or has it canceled; nothing where that is so already. */
  closeDelegate(call: number, how: 'ended' | 'cancel'): Promise<void>;
  /** Ends the turn until the sub-task is to be looked at again. Never settles. */
  park(call: number, look: DelegateLook): Promise<never>;
  /** Where the other agent may tell of changes; undefined: nobody can call this agent back. */
  delegateCallback(call: number): Promise<string | undefined>;
  /**
   * Writes that something is about to be reserved, and gives the hold's ordinal. What comes of it is then recorded by
   * `record(call, 'hold', ...)`.
   */
  reserve(call: number, name: string, forMs: number): Promise<number>;
  /** Records whether the hold was still there, and so is confirmed. */
  confirm(call: number, name: string, hold: number): Promise<Recorded>;
  /** Has the hold released; `confirmed`: although the author had confirmed it. */
  release(call: number, name: string, hold: number, confirmed?: { readonly value: Json }): Promise<Recorded>;
  /** Ends the task. Never settles. */
  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never>;
  /** Leaves the turn to go on in another invocation (the worker's time is up). Never settles. */
  yield(): Promise<never>;
}

export interface DelegateSpec {
  readonly name: string;
  readonly agent: string;
  readonly message: Message;
}

/** A look at a sub-task that has not come to rest. */
export interface DelegateLook {
  /** The call of the delegate; the one that looks is given beside it. */
  readonly delegate: number;
  /** Absent: it could not be begun yet. */
  readonly subTask?: SubTaskRef;
  readonly pushes: boolean;
  /** The other agent did not answer. */
  readonly silent: boolean;
}

export type StepResult =
  | { readonly ok: Json }
  | { readonly error: { readonly name: string; readonly message: string } };

export type Recorded =
  | { readonly kind: 'step' | 'now' | 'random' | 'inbox'; readonly name: string; readonly result: StepResult }
  | { readonly kind: 'delegate' | 'wait'; readonly name: string; readonly result: StepResult }
  /** Granted: the credential is there to be used. */
  | {
      readonly kind: 'auth';
      readonly name: string;
      readonly authorisation: 'granted' | 'declined' | 'expired';
      readonly reason?: string;
    }
  /** What the code made of the credential. */
  | { readonly kind: 'auth'; readonly name: string; readonly result: StepResult }
  | { readonly kind: 'hold'; readonly name: string; readonly n: number; readonly result: StepResult }
  /** Over before it was acquired. */
  | { readonly kind: 'hold'; readonly name: string; readonly n: number; readonly gone: true }
  | { readonly kind: 'confirm' | 'release'; readonly name: string; readonly done: boolean }
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
