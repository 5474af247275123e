/** Reads a question back from the status message that asks it. */
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Message, Part } from '../message.ts';
import { QUESTION_EXTENSION_URI } from './extension.ts';
import type { QuestionData } from './types.ts';

export interface QuestionAddress {
  readonly taskId: string;
  readonly contextId: string;
}

/** The status message: text that is complete on its own for a person, and the same for a program. */
export function questionMessage(text: string, question: QuestionData, address: QuestionAddress): Message {
  return {
    messageId: question.questionId,
    taskId: address.taskId,
    contextId: address.contextId,
    role: 'ROLE_AGENT',
    parts: [{ text }, { data: question as unknown as JsonObject, mediaType: 'application/json' }],
    extensions: [QUESTION_EXTENSION_URI],
  };
}

/**
 * The data part of a status message that `questionMessage` made.
 * @throws Error when there is none: the caller took another message for a question
 */
export function questionData(message: Message): QuestionData {
  const part = message.parts.find(({ data }) => isJsonObject(data) && typeof data.questionId === 'string');
  if (!part) throw new Error(`message ${message.messageId} asks no question`);
  return part.data as unknown as QuestionData;
}

/** The text part of a status message that `questionMessage` made. */
export function questionText(message: Message): string {
  return message.parts.find((part: Part) => part.text !== undefined)?.text ?? '';
}
