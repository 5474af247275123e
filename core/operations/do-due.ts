/**
 * Does all that is due to one task. The one operation behind timers, the sweeper and everybody who looks at a task
 * whose time has passed: a timer's payload and the index are only hints, the head decides.
 */
import { isTerminal } from '../message.ts';
import { Conflict, type Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';

/** More due things than this in one head would be a loop. */
const MAX_STEPS = 8;

/** @throws RetryableError when the store does not answer */
export async function doDue(deps: Deps, taskId: string): Promise<void> {
  const head = await deps.store.load(taskId);
  if (head) await settle(deps, head);
}

/** The head after all that was due has been done; undefined when the task was deleted. */
export async function settle(deps: Deps, first: TaskHead): Promise<TaskHead | undefined> {
  let head = first;
  for (let step = 0; step < MAX_STEPS && head.dueMs <= deps.clock.now(); step++) {
    if (isTerminal(head.status.state)) return retire(deps, head);
    const changed = await change(deps, head, () => ({ type: 'do-due' }));
    if (!changed.head) return undefined;
    head = changed.head;
  }
  return head;
}

/** Retention has passed: children first, the head last. */
async function retire(deps: Deps, head: TaskHead): Promise<undefined> {
  try {
    await deps.store.remove(head);
  } catch (error) {
    // A terminal head changes no more, so whoever came first was deleting it too.
    if (!(error instanceof Conflict)) throw error;
  }
  return undefined;
}

/** Of callers' looks: only an overdue question matters to what they see; the rest is the sweeper's. */
export async function settleQuestion(deps: Deps, head: TaskHead): Promise<TaskHead | undefined> {
  const overdue = head.ask !== undefined && head.ask.expiresAtMs <= deps.clock.now();
  return overdue ? settle(deps, head) : head;
}
