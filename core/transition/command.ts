/** What can be done to a task, and what a transition answers. Shapes only. */
import type { AuthSpec } from '../auth-request.ts';
import type { Effect } from '../effects.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Artifact, Message, TerminalState } from '../message.ts';
import type { AnswerError, AskSpec } from '../question/types.ts';
import type { Child, Mark, TaskHead } from '../task.ts';
import type { DelegateLook, StepResult } from '../turn-host.ts';
import type { UndoOf } from '../undo.ts';

/** A caller's message as it is recorded (redacted), with its de-duplication mark. */
export interface Received {
  readonly message: Message;
  readonly mark: Mark;
}

export type CallerCommand =
  /** An answer that the schema accepted, or text for the author's `parseText`. */
  | ({
      readonly type: 'answer';
      readonly questionId: string;
      readonly accepted: { readonly value: Json } | { readonly text: string };
      readonly secret?: { readonly id: string; readonly sealed: string };
    } & Received)
  | ({ readonly type: 'decline'; readonly questionId: string; readonly reason?: string } & Received)
  /** An answer that the schema refused: asks again, or fails the task at the cap. */
  | ({
      readonly type: 'refuse-answer';
      readonly questionId: string;
      /** The status message that holds the question. */
      readonly question: Message;
      readonly errors: readonly AnswerError[];
      readonly prefill?: JsonObject;
    } & Received)
  /** A message to a task that is not asking, kept for `turn.inbox`. */
  | ({ readonly type: 'receive' } & Received)
  | { readonly type: 'cancel' };

/**
 * Of the worker that holds the lease named by `token`. Events wait with the worker until its next write. `steps`: STEP
 * items may be there, of this worker or of one before it.
 */
export type TurnCommand = { readonly token: string; readonly steps?: true } & (
  | DelegateCommand
  | HoldCommand
  | { readonly type: 'renew'; readonly untilMs: number }
  | { readonly type: 'emit'; readonly events: readonly EmitEvent[] }
  | { readonly type: 'ask'; readonly call: number; readonly spec: AskSpec; readonly events: readonly EmitEvent[] }
  /** The author's own checks refused what the schema had accepted. */
  | {
      readonly type: 'reask';
      readonly call: number;
      readonly question: Message;
      readonly errors: readonly AnswerError[];
      readonly events: readonly EmitEvent[];
    }
  /** The task waits for a credential, which comes to `callbackUrl`. */
  | {
      readonly type: 'require-auth';
      readonly call: number;
      readonly spec: AuthSpec;
      readonly authId: string;
      readonly callbackUrl: string;
      readonly events: readonly EmitEvent[];
    }
  /** What the code made of a credential: what the call gives from now on. */
  | { readonly type: 'use-auth'; readonly call: number; readonly result: StepResult }
  | { readonly type: 'read-inbox'; readonly seqs: readonly number[] }
  /** The author's own checks accepted an answer: `value` is what the ask gives from now on. */
  | { readonly type: 'pass-answer'; readonly call: number; readonly value: Json }
  | {
      readonly type: 'end';
      readonly state: Exclude<TerminalState, 'TASK_STATE_CANCELED'>;
      readonly reason?: string;
      readonly events: readonly EmitEvent[];
    }
  /** Go on in another invocation; `progressed`: something was recorded since the claim. */
  | { readonly type: 'yield'; readonly progressed: boolean; readonly events: readonly EmitEvent[] }
  /** The attempt failed; `fatal`: trying again cannot help; `because`: what the caller may know of it. */
  | {
      readonly type: 'fail-attempt';
      readonly fatal: boolean;
      readonly correlationId: string;
      readonly events?: readonly EmitEvent[];
      readonly because?: string;
    }
);

/** Of the worker as well: a sub-task is about to be begun, is waited for, or is over. */
export type DelegateCommand =
  | {
      readonly type: 'delegate';
      readonly call: number;
      readonly name: string;
      readonly agent: string;
      readonly message: Message;
    }
  /** `call` is the one that looked. */
  | {
      readonly type: 'park';
      readonly call: number;
      readonly look: DelegateLook;
      readonly events: readonly EmitEvent[];
    }
  | { readonly type: 'close-delegate'; readonly call: number; readonly how: 'ended' | 'cancel' };

/** Of the worker as well: something is about to be reserved, has been, is kept for good, or is given back. */
export type HoldCommand =
  | { readonly type: 'reserve'; readonly call: number; readonly name: string; readonly forMs: number }
  | {
      readonly type: 'acquired';
      readonly call: number;
      readonly name: string;
      readonly n: number;
      readonly result: StepResult;
    }
  | { readonly type: 'confirm'; readonly call: number; readonly name: string; readonly n: number }
  | {
      readonly type: 'release';
      readonly call: number;
      readonly name: string;
      readonly n: number;
      readonly confirmed?: { readonly value: Json };
    };

/** Of a worker that has lost its lease meanwhile: it has reserved something, perhaps too late. */
export type LateHoldCommand = {
  readonly type: 'late-hold';
  readonly call: number;
  readonly name: string;
  readonly n: number;
  readonly result: StepResult;
};

/** Another agent says that the sub-task of this call has changed. */
export type WakeCommand = { readonly type: 'wake'; readonly call: number };

/** Of whoever has the callback address, and of the caller that does not want to authorise. */
export type AuthCommand =
  | {
      readonly type: 'grant';
      readonly authId: string;
      readonly secret: { readonly id: string; readonly sealed: string };
    }
  | ({ readonly type: 'decline-auth'; readonly authId: string; readonly reason?: string } & Received);

export type ClaimCommand = {
  readonly type: 'claim';
  readonly turn: number;
  readonly token: string;
  readonly untilMs: number;
};

/** Of push notifications: who is told, and what became of it. In every state, ended tasks included. */
export type PushCommand =
  /** `behind`: the config has events to deliver already. */
  | { readonly type: 'add-push'; readonly configId: string; readonly behind: boolean }
  | { readonly type: 'remove-push'; readonly configId: string }
  | { readonly type: 'give-up-push'; readonly configId: string }
  /** Somebody looked; `behind`: not everything has been told. */
  | { readonly type: 'check-push'; readonly behind: boolean };

/** What came of a worker's attempt to undo an entry; `round` and `attempts` are those that it found. */
export type UndoCommand =
  | { readonly type: 'undone'; readonly of: UndoOf; readonly n: number; readonly round: number }
  | {
      readonly type: 'undo-failed';
      readonly of: UndoOf;
      readonly n: number;
      readonly round: number;
      readonly attempts: number;
    };

/** Does the one thing that is due; `do-due.ts` repeats it until nothing is. */
export type TimeCommand = { readonly type: 'do-due' } | { readonly type: 'secrets-dropped' };

export type Command =
  | CallerCommand
  | AuthCommand
  | TurnCommand
  | ClaimCommand
  | TimeCommand
  | PushCommand
  | WakeCommand
  | UndoCommand
  | LateHoldCommand;

/** The command of this type. */
export type Of<K extends Command['type']> = Extract<Command, { type: K }>;

export type EmitEvent =
  | { readonly kind: 'progress'; readonly text: string; readonly metadata?: JsonObject }
  | {
      readonly kind: 'artifact';
      /** The calls whose chunks were joined in this event. */
      readonly calls: readonly { readonly call: number; readonly name: string }[];
      readonly artifact: Artifact;
      readonly append: boolean;
      readonly lastChunk: boolean;
    };

export type Rejection =
  /** The task has ended: nothing changes it any more. */
  | 'ended'
  /** No question is open. */
  | 'not-asking'
  /** Another question is open than the command names. */
  | 'question-closed'
  /** The task does not wait for this authorisation. */
  | 'auth-closed'
  /** The question's expiry has passed; `do-due` comes first. */
  | 'overdue'
  /** A question is open: the message is to be read as an answer. */
  | 'asking'
  /** The lease is somebody else's or has been given up. */
  | 'lease-lost'
  /** The turn is not there to be claimed. */
  | 'not-claimable'
  /** Nothing is due. */
  | 'not-due'
  | 'inbox-full'
  | 'too-many-messages'
  | 'too-many-push-configs'
  /** It is so already. */
  | 'unchanged';

export type Transition =
  | {
      readonly ok: true;
      readonly head: TaskHead;
      readonly children: readonly Child[];
      readonly effects: readonly Effect[];
    }
  | { readonly ok: false; readonly rejection: Rejection };
