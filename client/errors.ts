/** What the client throws, besides the official SDK's own protocol errors (`TaskNotFoundError` and the like). */
import type { AnswerError, OpenQuestion } from './types.ts';

/** The agent asked more often than `maxRounds`; the task was canceled, or `canceled` is false and it still waits. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
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
export class AgentUnreachable extends Error {
  override readonly name = 'AgentUnreachable';
  /** To take it up again; absent when no task is known yet. */
  readonly taskId?: string;

  constructor(message: string, options: { readonly cause: unknown; readonly taskId?: string | undefined }) {
    super(message, { cause: options.cause });
    if (options.taskId !== undefined) this.taskId = options.taskId;
  }
}

/** There is no agent at the address, or none that speaks a version and binding of A2A that this client speaks. */
export class AgentUnsupported extends Error {
  override readonly name = 'AgentUnsupported';
}

/** The agent's answer makes no sense under A2A: a task without a state, a stream that tells of another task. */
export class AgentMisbehaved extends Error {
  override readonly name = 'AgentMisbehaved';
}

/** The answer does not fit the question; nothing was sent, the question is still open. */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer';
  readonly errors: readonly AnswerError[];

  constructor(errors: readonly AnswerError[]) {
    super(`the answer was refused: ${errors.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ')}`);
    this.errors = errors;
  }
}

/** The pending store has no such task to go on with. */
export class NotPending extends Error {
  override readonly name = 'NotPending';
  /** `taken`: another process has answered it, or is about to. `other-agent`: the client is connected elsewhere. */
  readonly reason: 'unknown' | 'taken' | 'done' | 'other-agent';

  constructor(taskId: string, reason: NotPending['reason']) {
    super(`task ${taskId} ${NOT_PENDING[reason]}`);
    this.reason = reason;
  }
}

const NOT_PENDING: Readonly<Record<NotPending['reason'], string>> = {
  unknown: 'is not in the pending store',
  taken: 'is being answered by another process, or was',
  done: 'is over',
  'other-agent': 'belongs to another agent than the one the client is connected to',
};
