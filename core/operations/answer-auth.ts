/**
 * What a message to a task that waits for an authorisation does: it may decline it. It is never a grant, and what looks
 * like a credential is refused before anything of it is recorded: a credential comes to the callback address alone.
 */
import { type AuthMention, onlyDecline, type OpenAuth } from '../auth-request.ts';
import { ProtocolError } from '../errors.ts';
import type { Message } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';
import { markOf } from './message-mark.ts';
import { type Looked, lookedAfter } from './sent.ts';

/**
 * @throws ProtocolError INVALID_PARAMS when the message names an authorisation that is not open, UNSUPPORTED_OPERATION
 *   when it does not decline it
 */
export async function answerAuth(deps: Deps, head: TaskHead, message: Message, mention: AuthMention): Promise<Looked> {
  const { authId, declined } = mention;
  if (head.auth?.authId !== authId) throw authNotOpen(head, authId);
  if (!declined) throw waitsForAuth(head, head.auth);
  const changed = await change(deps, head, () => ({
    type: 'decline-auth',
    authId,
    ...declined,
    message: onlyDecline(message, mention),
    // What was left out of the record may be a secret, and must not be guessed back from a digest.
    mark: markOf(message, true),
  }));
  return lookedAfter(deps, head.taskId, changed);
}

/** For a message that says something else than a decline. */
export function waitsForAuth(head: TaskHead, { authId, name }: OpenAuth): ProtocolError {
  return new ProtocolError(
    'UNSUPPORTED_OPERATION',
    `Task ${head.taskId} waits for an authorisation (${authId}, "${name}"): the credential is posted to the callback ` +
      'address in its status message, never sent in a message; a data part { authId, decline: {} } declines it',
    { metadata: { taskId: head.taskId, state: head.status.state, authId } },
  );
}

function authNotOpen(head: TaskHead, authId: string): ProtocolError {
  const open = head.auth?.authId;
  const text = `authorisation ${authId} is not open${open === undefined ? '' : `; the open one is ${open}`}`;
  return new ProtocolError('INVALID_PARAMS', text, {
    metadata: { taskId: head.taskId, authId, ...(open === undefined ? {} : { openAuthId: open }) },
    violations: [{ field: 'message.parts', description: text }],
  });
}
