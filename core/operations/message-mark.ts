/** De-duplication: what is remembered of a message, and whether a message has been seen before (S13). */
import { ProtocolError } from '../errors.ts';
import { messageDigest, messageIdHash } from '../ids.ts';
import type { Message } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { Mark, TaskHead } from '../task.ts';

export function markOf(message: Message, hidden = false): Mark {
  return {
    id: messageIdHash(message.messageId),
    digest: messageDigest(message, hidden),
    ...(hidden ? { hidden: true } : {}),
  };
}

/**
 * Whether this task has recorded this very message.
 * @throws ProtocolError INVALID_PARAMS when the id was used for other content
 */
export async function isRepeat(deps: Deps, head: TaskHead, message: Message): Promise<boolean> {
  if (deps.agent.settings.idempotency === 'off') return false;
  const id = messageIdHash(message.messageId);
  const mark = head.marks.find((known) => known.id === id) ?? (await olderMark(deps, head, id));
  if (!mark) return false;
  if (mark.digest === messageDigest(message, mark.hidden)) return true;
  throw new ProtocolError('INVALID_PARAMS', 'messageId already used for another message', {
    metadata: { taskId: head.taskId, messageId: message.messageId },
    violations: [{ field: 'message.messageId', description: 'already used for a message with other content' }],
  });
}

/** One read, and only of tasks that have taken more messages than the head remembers. */
async function olderMark(deps: Deps, head: TaskHead, id: string): Promise<Mark | undefined> {
  return head.used.messages <= head.marks.length ? undefined : deps.store.mark(head, id);
}
