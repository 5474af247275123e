/** The errors an author may catch, and the one an author throws. What ends a turn is none of them: see replay.ts. */
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

/** The caller declined the question. Not caught, it ends the task as rejected. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError';
  readonly question: string;
  readonly reason: string | undefined;

  constructor(question: string, reason?: string) {
    super(`the question "${question}" was declined${reason ? `: ${reason}` : ''}`);
    this.question = question;
    this.reason = reason;
  }
}

/** Nobody answered in time and the ask says `onExpire: 'resume'`. Not caught, it ends the task as failed. */
export class ExpiredError extends Error {
  override readonly name = 'ExpiredError';
  readonly question: string;

  constructor(question: string) {
    super(`the question "${question}" expired without an answer`);
    this.question = question;
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
