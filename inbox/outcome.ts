/**
 * What became of a question that this page has shown, read from the task's record. That is what a person is told who
 * answered too late, or whose form was overtaken: by somebody else, by the clock, by a cancel.
 */
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { isTerminal, type Message, type Task } from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { askedIn, textOf } from './question.ts';

export type Outcome =
  | { readonly kind: 'open' }
  /** `mine`: by a message of this tab. */
  | { readonly kind: 'answered' | 'declined' | 'asked-again'; readonly mine: boolean }
  /** The task ended for it, went on without an answer, or went on with a default. */
  | { readonly kind: 'expired'; readonly then: 'ended' | 'went-on' | 'defaulted' }
  | { readonly kind: 'no-valid-answer'; readonly mine: boolean }
  | { readonly kind: 'canceled' }
  /** The task ended or went on, and its record does not say why. */
  | { readonly kind: 'gone' };

const EXPIRED: Readonly<Record<string, 'ended' | 'went-on' | 'defaulted'>> = {
  QUESTION_EXPIRED: 'ended',
  QUESTION_EXPIRED_RESUMED: 'went-on',
  QUESTION_DEFAULTED: 'defaulted',
};

/** @param mine whether a message, by its id, was sent by this tab */
export function outcomeOf(task: Task, questionId: string, mine: (messageId: string) => boolean): Outcome {
  const { state, message } = task.status;
  if (state === 'TASK_STATE_INPUT_REQUIRED' && message && askedIn(message)?.questionId === questionId) {
    return { kind: 'open' };
  }
  const record = [...(task.history ?? []), ...(message === undefined ? [] : [message])];
  const about = record.map(extensionOf).find(({ question, reason }) => question === questionId && reason !== undefined);
  const reason = typeof about?.reason === 'string' ? about.reason : '';
  const then = Object.hasOwn(EXPIRED, reason) ? EXPIRED[reason] : undefined;
  if (then !== undefined) return { kind: 'expired', then };
  const answer = answerTo(questionId, task.history ?? []);
  const own = answer !== undefined && mine(answer.messageId);
  if (reason === 'NO_VALID_ANSWER') return { kind: 'no-valid-answer', mine: own };
  if (record.some((one) => askedIn(one)?.previousQuestionId === questionId)) return { kind: 'asked-again', mine: own };
  if (answer !== undefined) return { kind: isDecline(answer) ? 'declined' : 'answered', mine: own };
  const by = extensionOf(task).questionId === questionId ? extensionOf(task).answeredBy : undefined;
  if (typeof by === 'string') return { kind: 'answered', mine: mine(by) };
  if (state === 'TASK_STATE_CANCELED') return { kind: 'canceled' };
  return { kind: 'gone' };
}

/** For people, as a sentence; undefined while the question is open. */
export function outcomeText(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case 'open':
      return undefined;
    case 'answered':
      return outcome.mine
        ? 'Your answer was taken.'
        : 'Somebody else answered this question first. Nothing was taken from this form.';
    case 'declined':
      return outcome.mine
        ? 'You declined to answer.'
        : 'Somebody else declined this question first. Nothing was taken from this form.';
    case 'asked-again':
      return outcome.mine
        ? 'Your answer could not be accepted. See below what was wrong.'
        : 'Somebody else answered, and the agent asks again. This is the new question.';
    case 'expired':
      return EXPIRED_TEXT[outcome.then];
    case 'no-valid-answer':
      return 'No valid answer came within the attempts the agent allows, so the task has failed.';
    case 'canceled':
      return 'The task was canceled.';
    case 'gone':
      return 'This question is closed. An answer is not taken any more.';
  }
}

const EXPIRED_TEXT = {
  ended: 'The time for an answer is up, and the task has ended. Nothing was taken from this form.',
  'went-on': 'The time for an answer is up, and the agent went on without one. Nothing was taken from this form.',
  defaulted: 'The time for an answer is up, and the agent went on with its default. Nothing was taken from this form.',
} as const;

/** The message that was taken for the question: the first of the caller after it, unless it names another. */
function answerTo(questionId: string, history: readonly Message[]): Message | undefined {
  const asked = history.findIndex(({ messageId }) => messageId === questionId);
  return history.slice(asked + 1).find((message) => {
    if (message.role !== 'ROLE_USER') return false;
    const named = message.parts.flatMap(({ data }) => (isJsonObject(data) ? [data.questionId] : []));
    if (named.some((name) => typeof name === 'string')) return named.includes(questionId);
    return asked !== -1 && (named.length > 0 || textOf(message) !== '');
  });
}

export function isDecline({ parts }: Message): boolean {
  return parts.some(({ data }) => isJsonObject(data) && Object.hasOwn(data, 'decline'));
}

/** Whether artifacts are a result: those of a task that still goes on, or that failed, are not. */
export function hasResult({ status, artifacts }: Task): boolean {
  return status.state === 'TASK_STATE_COMPLETED' && (artifacts?.length ?? 0) > 0;
}

export function hasEnded({ status }: Task): boolean {
  return isTerminal(status.state);
}

export function extensionOf({ metadata }: Pick<Message, 'metadata'> | Task): JsonObject {
  const ours = metadata?.[QUESTION_EXTENSION_URI];
  return isJsonObject(ours) ? ours : {};
}
