/** What the parts of SendMessage tell each other, and the refusals they share. */
import { ProtocolError, taskNotFound } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import type { Changed } from './change.ts';
import { doAllDue } from './do-due.ts';

/** Where a message left its task, and what the caller is told beside it. */
export interface Sent {
  readonly head: TaskHead;
  /** Goes into the task's metadata under our extension. */
  readonly note?: JsonObject;
}

/** `decided: false`: the task changed meanwhile, and the same message means something else to it now. */
export type Looked = Sent & { readonly decided: boolean };

/**
 * What a message came to that was to change its task: it did, or the task is looked at anew.
 * @throws ProtocolError TASK_NOT_FOUND when the task is gone, UNSUPPORTED_OPERATION when it takes no more messages
 */
export async function lookedAfter(deps: Deps, taskId: string, changed: Changed): Promise<Looked> {
  if (changed.ok) return { head: changed.head, decided: true };
  if (!changed.head) throw taskNotFound(taskId);
  if (changed.rejection === 'too-many-messages') throw tooManyMessages(changed.head);
  if (changed.rejection !== 'overdue') return { head: changed.head, decided: false };
  const settled = await doAllDue(deps, changed.head);
  if (!settled) throw taskNotFound(taskId);
  return { head: settled, decided: false };
}

export function hasEnded(head: TaskHead): ProtocolError {
  return new ProtocolError('UNSUPPORTED_OPERATION', `Task ${head.taskId} has ended and takes no messages`, {
    metadata: { taskId: head.taskId, state: head.status.state },
  });
}

/** What the caller saw before it sent is not what the task is now. */
export function hasMoved(head: TaskHead, expected: number): ProtocolError {
  return new ProtocolError(
    'TASK_GENERATION_MISMATCH',
    `Task generation mismatch: expected ${expected}, and the task is at ${head.generation}`,
    {
      metadata: {
        taskId: head.taskId,
        expectedGeneration: String(expected),
        currentGeneration: String(head.generation),
      },
    },
  );
}

function tooManyMessages(head: TaskHead): ProtocolError {
  return new ProtocolError(
    'UNSUPPORTED_OPERATION',
    `Task ${head.taskId} has taken ${limits.messagesPerTask} messages, the most that one task may`,
    { metadata: { taskId: head.taskId } },
  );
}
