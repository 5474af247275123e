/**
 * Reads the open question out of a task, as the question extension has it (docs/question-extension.md). The message
 * comes from an agent and may hold anything: what does not fit is left out, and a question in words alone is asked for
 * an answer in words.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Message, Task } from '../core/message.ts';
import type { AnswerError } from '../core/question/types.ts';
import { oneLine, plainText } from './plain-text.ts';

export interface OpenQuestion {
  readonly taskId: string;
  readonly contextId: string;
  /** Undefined: the agent asks in words only, and the answer is a text. */
  readonly questionId: string | undefined;
  readonly text: string;
  /** The beginning of what the task was asked to do, so that one is known from another; empty when it is not known. */
  readonly request: string;
  /** Milliseconds since 1970; `NaN` when the agent says nothing of it. */
  readonly expiresAtMs: number;
  readonly schema: JsonObject;
  readonly options: Json | undefined;
  readonly allowOther: boolean;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly previousQuestionId: string | undefined;
  readonly errors: readonly AnswerError[];
  readonly prefill: JsonObject;
}

const WORDS: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string', title: 'Your answer' } },
  required: ['text'],
};

/** Undefined when the task asks nothing. */
export function openQuestion(task: Task): OpenQuestion | undefined {
  const { state, message } = task.status;
  if (state !== 'TASK_STATE_INPUT_REQUIRED') return undefined;
  const data: JsonObject = message === undefined ? {} : (askedIn(message) ?? {});
  return {
    taskId: task.id,
    contextId: task.contextId,
    questionId: typeof data.questionId === 'string' ? data.questionId : undefined,
    text: textOf(message) || 'The agent asks for input and does not say what for.',
    request: requestOf(task),
    expiresAtMs: typeof data.expires === 'string' ? Date.parse(data.expires) : Number.NaN,
    schema: isJsonObject(data.answerSchema) ? data.answerSchema : WORDS,
    options: data.options,
    allowOther: data.allowOther === true,
    attempt: count(data.attempt) ?? 1,
    maxAttempts: count(data.maxAttempts) ?? 1,
    previousQuestionId: typeof data.previousQuestionId === 'string' ? data.previousQuestionId : undefined,
    errors: Array.isArray(data.errors) ? data.errors.flatMap(errorOf) : [],
    prefill: isJsonObject(data.prefill) ? data.prefill : {},
  };
}

/** Messages of each task that a list is asked for: back to the request of one that was answered a few times. */
export const LISTED_MESSAGES = 20;

/** Nothing when the history does not go back to it. */
function requestOf({ history = [] }: Task): string {
  const [first] = history;
  if (first?.role !== 'ROLE_USER' || history.length >= LISTED_MESSAGES) return '';
  return oneLine(textOf(first).split('\n')[0], 100);
}

/** The data part of a message that asks. */
export function askedIn({ parts }: Message): JsonObject | undefined {
  const part = parts?.find(({ data }) => isJsonObject(data) && typeof data.questionId === 'string');
  return part?.data as JsonObject | undefined;
}

export function textOf(message: Message | undefined): string {
  const texts = message?.parts?.flatMap(({ text }) => (text === undefined ? [] : [plainText(text)])) ?? [];
  return texts.join('\n\n');
}

/** The earliest first; those without a time come last. */
export function byDue(a: OpenQuestion, b: OpenQuestion): number {
  const [first, second] = [a, b].map(({ expiresAtMs }) => (Number.isNaN(expiresAtMs) ? Infinity : expiresAtMs));
  if (first === second) return a.taskId < b.taskId ? -1 : 1;
  return (first as number) - (second as number);
}

function errorOf(error: Json): AnswerError[] {
  if (!isJsonObject(error) || typeof error.message !== 'string') return [];
  const pointer = typeof error.pointer === 'string' ? error.pointer : '';
  return [{ pointer, message: plainText(error.message, 500) }];
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
