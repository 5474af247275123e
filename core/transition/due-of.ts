/** The earliest time at which something must happen to a task by itself. Always computed from the rest of the head. */
import { limits } from '../limits.ts';
import { isTerminal } from '../message.ts';
import type { TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';

/** Milliseconds since the epoch. */
export function dueOf(head: Omit<TaskHead, 'dueMs'>): number {
  const dueMs = taskDueMs(head);
  // `store.claim` writes the lease's end without looking at the rest, and what a turn emits pokes again.
  if (head.turn.phase === 'running') return dueMs;
  return Math.min(dueMs, head.push?.check?.atMs ?? dueMs);
}

/** What is due to the task itself, apart from telling others of it. */
export function taskDueMs(head: Omit<TaskHead, 'dueMs'>): number {
  if (isTerminal(head.status.state)) {
    return head.status.atMs + (head.secrets ? limits.secretsAfterEndMs : limits.retentionMs);
  }
  const { turn } = head;
  switch (turn.phase) {
    case 'requested':
      return turn.dispatch?.dueMs ?? head.status.atMs;
    case 'running':
      return turn.lease?.untilMs ?? head.status.atMs;
    case 'parked':
      return turn.parked?.untilMs ?? head.status.atMs;
    case 'idle':
      // An interrupted task always has a question, and a question always has an expiry.
      return head.ask ? Math.min(head.ask.expiresAtMs, head.ask.remindAtMs?.[0] ?? Infinity) : head.status.atMs;
    default:
      return unreachable('phase', turn.phase);
  }
}
