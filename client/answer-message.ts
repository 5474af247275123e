/**
 * The messages that the loop sends. An answer's id is derived from the question, so that whoever sends it again, this
 * process after a lost response or another after a crash, sends a repeat and not a second answer.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import type { Message, Part, Task } from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import type { OpenQuestion, OutgoingMessage } from './types.ts';

export function firstMessage(outgoing: OutgoingMessage): Message {
  const message = typeof outgoing === 'string' ? { parts: [{ text: outgoing }] } : outgoing;
  return { messageId: randomUUID(), ...message, role: 'ROLE_USER' };
}

/** What goes out for a question: data, words, or a refusal in data. */
export type Reply =
  | { readonly answer: JsonObject }
  | { readonly text: string }
  | { readonly decline: { readonly reason?: string } };

export function answerMessage(question: OpenQuestion, reply: Reply): Message {
  const { taskId, contextId } = question;
  const part = partOf(question, reply);
  return {
    messageId: answerId(question),
    taskId,
    ...(contextId === '' ? {} : { contextId }),
    role: 'ROLE_USER',
    parts: [part],
    ...(part.data === undefined ? meantFor(question) : { extensions: [QUESTION_EXTENSION_URI] }),
  };
}

/** Refuses an authorisation (docs/question-extension.md): what a task in auth-required waits for. */
export function authDecline(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  authId: string,
  decline: { readonly reason?: string },
): Message {
  const named = JSON.stringify(['askback-auth-decline-1', id, authId]);
  return {
    messageId: `d-${createHash('sha256').update(named).digest('base64url').slice(0, 32)}`,
    taskId: id,
    ...(contextId === '' ? {} : { contextId }),
    role: 'ROLE_USER',
    parts: [{ data: { authId, decline }, mediaType: 'application/json' }],
    extensions: [QUESTION_EXTENSION_URI],
  };
}

/** Words cannot name their question; whoever looks finds it beside them. */
function meantFor({ questionId }: OpenQuestion): Pick<Message, 'metadata'> {
  return questionId === undefined ? {} : { metadata: { [QUESTION_EXTENSION_URI]: { questionId } } };
}

function partOf(question: OpenQuestion, reply: Reply): Part {
  if ('text' in reply) return { text: reply.text };
  const { questionId = '' } = question;
  const data = 'answer' in reply ? { ...reply.answer, questionId } : { questionId, decline: reply.decline };
  return { data, mediaType: 'application/json' };
}

/** Task, question and attempt: one id for each question that an agent can ask, re-asks included. */
export function answerId(question: OpenQuestion): string {
  const attempt = question.kind === 'question' ? question.attempt : 1;
  const named = JSON.stringify(['askback-answer-1', question.taskId, question.key, attempt]);
  return `a-${createHash('sha256').update(named).digest('base64url').slice(0, 32)}`;
}
