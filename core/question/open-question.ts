/**
 * Opens a question and opens it again. All mistakes of the asker are found here (check-ask.ts), so that whatever is
 * on show can be answered. Pure: the transition that calls this gives the place and the time.
 */
import { questionIdOf } from '../ids.ts';
import { limits } from '../limits.ts';
import type { OpenAsk } from '../task.ts';
import { checkAsk } from './check-ask.ts';
import { questionData, questionMessage, questionText } from './question-data.ts';
import { repeatedText } from './repeated-text.ts';
import type { AskPlace, AskSpec, OpenedQuestion, QuestionData, ReaskSpec } from './types.ts';

/**
 * The first question of an ask.
 * @throws AgentFault BAD_QUESTION naming what is wrong and where
 */
export function openQuestion(spec: AskSpec, place: AskPlace): OpenedQuestion {
  const checked = checkAsk(spec);
  // Where the bound has passed meanwhile, the question is opened overdue, and expires at the first look.
  const expiresAtMs = Math.min(place.nowMs + checked.expiresInMs, spec.expiresByMs ?? Number.POSITIVE_INFINITY);
  const remindAtMs = checked.remindBeforeMs
    .map((before) => expiresAtMs - before)
    .filter((atMs) => spec.expiresByMs === undefined || atMs > place.nowMs);
  const questionId = questionIdOf(place.taskId, place.question);
  const question: QuestionData = {
    questionId,
    name: spec.name,
    expires: timestamp(expiresAtMs),
    answerSchema: checked.schema,
    ...(checked.options ? { options: checked.options } : {}),
    ...(checked.options && checked.allowOther ? { allowOther: true } : {}),
    attempt: 1,
    maxAttempts: checked.maxAttempts,
    ...(remindAtMs.length > 0 ? { remindAt: remindAtMs.map(timestamp) } : {}),
  };
  const ask: OpenAsk = {
    call: place.call,
    name: spec.name,
    ask: place.ask,
    questionId,
    attempt: 1,
    maxAttempts: checked.maxAttempts,
    expiresAtMs,
    ...(remindAtMs.length > 0 ? { remindAtMs } : {}),
    onExpire: checked.onExpire,
    ...(checked.wrapped ? { wrapped: true } : {}),
    ...(checked.parsesText ? { parsesText: true } : {}),
    ...(checked.allowOther ? { allowOther: true } : {}),
    ...(checked.secret.length > 0 ? { secret: checked.secret } : {}),
    ...(spec.relays ? { relays: spec.relays } : {}),
  };
  return { ask, message: questionMessage(spec.text, question, place) };
}

/**
 * The next question of the same ask: same schema, options and expiry, one attempt more. It says what was wrong and
 * what was right.
 * @throws Error when the attempts are used up; the caller checks that first
 */
export function reaskQuestion(spec: ReaskSpec, place: AskPlace): OpenedQuestion {
  const { open, message } = spec;
  if (open.attempt >= open.maxAttempts) throw new Error(`question ${open.questionId} has no attempts left`);
  const errors = spec.errors.slice(0, limits.answerErrorsReported);
  const prefill = Object.entries(spec.prefill ?? {}).filter(([name]) => !open.secret?.includes(name));
  const previous = questionData(message);
  const { errors: _errors, prefill: _prefill, ...kept } = previous;
  const questionId = questionIdOf(place.taskId, spec.question);
  const question: QuestionData = {
    ...kept,
    questionId,
    attempt: open.attempt + 1,
    previousQuestionId: open.questionId,
    errors,
    ...(prefill.length > 0 ? { prefill: Object.fromEntries(prefill) } : {}),
  };
  const text = repeatedText(
    questionText(message),
    previous.previousQuestionId !== undefined,
    errors,
    open.wrapped === true,
  );
  return {
    ask: { ...open, questionId, attempt: open.attempt + 1 },
    message: questionMessage(text, question, place),
  };
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
