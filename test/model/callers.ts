/** What callers of the model say: every kind of message that a task may meet, built for the question that is on show. */
import type { Message, Part } from '../../core/message.ts';
import type { SendMessageRequest } from '../../core/requests.ts';
import type { TaskHead } from '../../core/task.ts';
import type { Choice } from './agents.ts';

export const SAYINGS = [
  /** Valid, and names the open question. */
  'CC-4410',
  'CC-4420',
  /** Valid, as text that maps with certainty. */
  'text',
  'decline',
  /** Names the open question and is refused by its schema. */
  'wrong',
  /** Text that means nothing. */
  'babble',
  /** Valid, but for the question before this one. */
  'stale',
  /** Valid, but for a question that never was. */
  'foreign',
] as const;
export type Saying = (typeof SAYINGS)[number];

export const FIRST: Message = {
  messageId: 'm-first',
  role: 'ROLE_USER',
  parts: [{ text: 'File my taxi receipt from Tuesday, 42 euros' }],
};

/** A message to the task as this head shows it. */
export function messageFor(head: TaskHead, saying: Saying, messageId: string): Message {
  return { messageId, role: 'ROLE_USER', taskId: head.taskId, parts: [partFor(head, saying)] };
}

function partFor(head: TaskHead, saying: Saying): Part {
  const questionId = head.ask?.questionId ?? questionOf(head, head.used.questions);
  switch (saying) {
    case 'CC-4410':
    case 'CC-4420':
      return { data: { questionId, choice: saying } };
    case 'text':
      return { text: 'cc-4420' };
    case 'decline':
      return { data: { questionId, decline: { reason: 'not mine' } } };
    case 'wrong':
      return { data: { questionId, choice: 'engineering' } };
    case 'babble':
      return { text: 'engineering' };
    case 'stale':
      return { data: { questionId: questionOf(head, head.used.questions - 1), choice: 'CC-4410' } };
    case 'foreign':
      return { data: { questionId: 'q-abcdefghijklmnop-1', choice: 'CC-4410' } };
  }
}

function questionOf(head: TaskHead, number: number): string {
  return `q-${head.taskId.slice(0, 16)}-${Math.max(1, number)}`;
}

export function request(message: Message): SendMessageRequest {
  return { message, configuration: { returnImmediately: true } };
}

/** The same id with other content: refused, whenever it comes. */
export function reused(message: Message): Message {
  return { ...message, parts: [...message.parts, { text: 'and another thing' }] };
}

/** What a message of ours says, read back from its parts. */
export function saidIn(message: Message): { readonly questionId?: string; readonly choice?: Choice } {
  const data = message.parts[0]?.data as { questionId?: string; choice?: string } | undefined;
  const choice = data?.choice ?? (message.parts[0]?.text === 'cc-4420' ? 'CC-4420' : undefined);
  return {
    ...(data?.questionId === undefined ? {} : { questionId: data.questionId }),
    ...(choice === 'CC-4410' || choice === 'CC-4420' ? { choice } : {}),
  };
}
