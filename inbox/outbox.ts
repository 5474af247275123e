/**
 * The messages that this tab sends. The same answer to the same question is always the same message, so that sending it
 * again after a failure can never count twice; another answer is another message.
 */
import { canonicalJson, type JsonObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { OpenQuestion } from './question.ts';

export interface Outbox {
  /** The message that answers; made once, and the same one ever after. */
  answer(question: OpenQuestion, content: JsonObject): Message;
  /** Whether a message was made here. */
  sent(messageId: string): boolean;
}

export function createOutbox(newId: () => string): Outbox {
  const ids = new Map<string, string>();
  const made = new Set<string>();
  return {
    answer({ taskId, contextId, questionId, text }, content) {
      const key = canonicalJson([taskId, questionId ?? text, content]);
      const messageId = ids.get(key) ?? `inbox-${newId()}`;
      ids.set(key, messageId);
      made.add(messageId);
      // An agent that asks in words only is answered in words.
      const parts =
        questionId === undefined
          ? [{ text: String(content.text ?? '') }]
          : [{ data: { questionId, ...content }, mediaType: 'application/json' }];
      return { messageId, role: 'ROLE_USER', taskId, contextId, parts };
    },
    sent: (messageId) => made.has(messageId),
  };
}

export function declineOf(reason: string): JsonObject {
  return { decline: reason.trim() === '' ? {} : { reason: reason.trim() } };
}
