/**
 * The messages that this tab sends. The same answer to the same question is always the same message, so that sending it
 * again after a failure can never count twice; another answer is another message. Which messages were made here is known
 * after a reload as well, so that nobody is told that somebody else was first; answers are not kept, they may be secret.
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

/** Where ids are kept until the tab is closed. */
export interface OutboxMemory {
  load(): string;
  save(text: string): void;
}

const NO_MEMORY: OutboxMemory = { load: () => '', save: () => undefined };
const KEPT = 200;

export function createOutbox(newId: () => string, memory: OutboxMemory = NO_MEMORY): Outbox {
  const ids = new Map<string, string>();
  const made = new Set<string>(
    memory
      .load()
      .split('\n')
      .filter((id) => id !== ''),
  );
  return {
    answer({ taskId, contextId, questionId, text }, content) {
      const key = canonicalJson([taskId, questionId ?? text, content]);
      const messageId = ids.get(key) ?? `inbox-${newId()}`;
      ids.set(key, messageId);
      // Before it is sent: what becomes of this page then does not matter.
      made.add(messageId);
      memory.save([...made].slice(-KEPT).join('\n'));
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
