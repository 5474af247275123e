/** What the client throws, besides the official SDK's own protocol errors (`TaskNotFoundError` and the like). */
import type { AnswerError, OpenQuestion } from './types.ts';

/** The agent asked more often than `maxRounds`; the task was canceled, or `canceled` is false and it still waits. */
export class GaveUpError extends Error {
  override readonly name = 'GaveUpError';
  readonly taskId: string;
  readonly rounds: number;
  /** The question that was one too many. */
  readonly question: OpenQuestion;
  readonly canceled: boolean;

  constructor(question: OpenQuestion, rounds: number, canceled: boolean) {
    const what = canceled ? 'the task was canceled' : 'and the task could not be canceled';
    super(`gave up: the agent went on asking after ${rounds} answers; ${what}`);
    this.taskId = question.taskId;
    this.rounds = rounds;
    this.question = question;
    this.canceled = canceled;
  }
}

/** The agent cannot be reached, or does not answer as one. The task, if there is one, goes on without us. */
export class AgentUnreachableError extends Error {
  override readonly name = 'AgentUnreachableError';
  /** To take it up again; absent when no task is known yet. */
  readonly taskId?: string;

  constructor(message: string, options: { readonly cause: unknown; readonly taskId?: string | undefined }) {
    super(message, { cause: options.cause });
    if (options.taskId !== undefined) this.taskId = options.taskId;
  }
}

/** There is no agent at the address, or none that speaks a version and binding of A2A that this client speaks. */
export class AgentUnsupportedError extends Error {
  override readonly name = 'AgentUnsupportedError';
}

/** The agent's answer makes no sense under A2A: a task without a state, a stream that tells of another task. */
export class AgentMisbehavedError extends Error {
  override readonly name = 'AgentMisbehavedError';
}

/** The answer does not fit the question; nothing was sent, the question is still open. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError';
  readonly errors: readonly AnswerError[];

  constructor(errors: readonly AnswerError[]) {
    super(`the answer was refused: ${errors.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ')}`);
    this.errors = errors;
  }
}

/** The pending store has no such task to go on with. */
export class NotPendingError extends Error {
  override readonly name = 'NotPendingError';
  /** `taken`: another process has answered it, or is about to. `other-agent`: the client is connected elsewhere. */
  readonly reason: 'unknown' | 'taken' | 'done' | 'other-agent';

  constructor(taskId: string, reason: NotPendingError['reason']) {
    super(`task ${taskId} ${NOT_PENDING[reason]}`);
    this.reason = reason;
  }
}

const NOT_PENDING: Readonly<Record<NotPendingError['reason'], string>> = {
  unknown: 'is not in the pending store',
  taken: 'is being answered by another process, or was',
  done: 'is over',
  'other-agent': 'belongs to another agent than the one the client is connected to',
};
