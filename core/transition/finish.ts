/** The end of a task, whoever brings it about: all that it leaves behind is seen to in the write that ends it. */
import type { Message, TaskState } from '../message.ts';
import { closeWait, type Draft, dropStaleTimers, moveTo, rest, set } from './draft.ts';
import { releaseHolds } from './holds.ts';
import { deleteTimers } from './timers.ts';
import { cancelDelegates } from './undo.ts';

/** Ends the task: the question goes, its timers and secrets are dropped, retention begins. */
export function finish(draft: Draft, state: TaskState, message?: Message): void {
  const { head } = draft;
  const open = head.ask ?? head.auth;
  if (open) draft.effects.push(...deleteTimers(head.taskId, open));
  dropStaleTimers(draft);
  if (head.secrets) draft.effects.push({ kind: 'drop-secrets', taskId: head.taskId });
  closeWait(draft);
  // What was not confirmed is released, whoever ends the task, and what others were asked to do is called off.
  releaseHolds(draft, 'end');
  cancelDelegates(draft);
  // Nothing replays any more.
  set(draft, { calls: [], unread: [] });
  moveTo(draft, state, message ? { message } : {});
  rest(draft);
}
