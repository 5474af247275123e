/** The errors an author may catch, and the one an author throws. What ends a turn is none of them: see replay.ts. */
import type { TerminalState } from '../core/message.ts';
import type { AnswerError } from '../core/question/types.ts';

/** A step failed on its last try. Built from the record, so it is the same on every replay: no stack, no cause. */
export class StepError extends Error {
  override readonly name = 'StepError';
  readonly step: string;
  /** The name of what the step threw, as in `TypeError`; `message` is its message. */
  readonly errorName: string;

  constructor(step: string, error: { readonly name: string; readonly message: string }) {
    super(error.message);
    this.step = step;
    this.errorName = error.name;
  }
}

/** The caller declined the question, or the authorisation. Not caught, it ends the task as rejected. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError';
  readonly question: string;
  readonly reason: string | undefined;

  constructor(question: string, reason?: string, what: 'question' | 'authorisation' = 'question') {
    super(`the ${what} "${question}" was declined${reason ? `: ${reason}` : ''}`);
    this.question = question;
    this.reason = reason;
  }
}

/** Nobody answered, or authorised, in time and the call says `onExpire: 'resume'`. Not caught, it ends the task as failed. */
export class ExpiredError extends Error {
  override readonly name = 'ExpiredError';
  readonly question: string;

  constructor(question: string, what: 'question' | 'authorisation' = 'question') {
    super(`the ${what} "${question}" expired without ${what === 'question' ? 'an answer' : 'a credential'}`);
    this.question = question;
  }
}

/**
 * A sub-task came to no result. Built from the record, so it is the same on every replay. `message` says no more than the
 * caller of this task may read; what the other agent said of it is in `reason`. Not caught, it ends the task: as rejected
 * where the other agent rejected, as failed otherwise.
 */
export class DelegateError extends Error {
  override readonly name = 'DelegateError';
  readonly delegate: string;
  /** How the sub-task ended; undefined where it was given up, and is canceled. */
  readonly state: TerminalState | undefined;
  readonly reason: string;

  constructor(delegate: string, state: TerminalState | undefined, reason: string) {
    const how = state === undefined ? 'was given up' : `was ${state.slice('TASK_STATE_'.length).toLowerCase()}`;
    super(`the sub-task "${delegate}" ${state === 'TASK_STATE_FAILED' ? 'failed' : how}`);
    this.delegate = delegate;
    this.state = state;
    this.reason = reason;
  }
}

/**
 * What was reserved was over before it could be used: its time had passed, or its question had come to nothing. It has
 * been or is being released. Thrown by `hold` and by `confirm`. Not caught, it ends the task as failed.
 */
export class HoldGoneError extends Error {
  override readonly name = 'HoldGoneError';
  readonly hold: string;

  constructor(hold: string) {
    super(`the hold "${hold}" was over before it could be used`);
    this.hold = hold;
  }
}

/** One error or several; a bare text is about the whole answer. */
export type Refusal = string | AnswerError | readonly (string | AnswerError)[];

/** Thrown or returned by `parseText` and `check`: the question is asked again with these errors. */
export class RefuseAnswer extends Error {
  override readonly name = 'RefuseAnswer';
  readonly errors: readonly AnswerError[];

  constructor(refusal: Refusal) {
    const errors = errorsOf(refusal);
    super(errors.map(({ message }) => message).join('; '));
    this.errors = errors;
  }
}

function errorsOf(refusal: Refusal): readonly AnswerError[] {
  const several = Array.isArray(refusal) ? (refusal as readonly (string | AnswerError)[]) : [refusal];
  return (several as readonly (string | AnswerError)[]).map((error) =>
    typeof error === 'string' ? { pointer: '', message: error } : { pointer: error.pointer, message: error.message },
  );
}
