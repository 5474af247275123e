/**
 * Does all that is due to one task. The one operation behind timers, the sweeper and everybody who looks at a task
 * whose time has passed: a timer's payload and the index are only hints, the head decides.
 */
import { limits } from '../limits.ts';
import { isTerminal } from '../message.ts';
import { Conflict, type Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { type DueThing, nextDue } from '../transition/due-of.ts';
import { owesUndo } from '../transition/undo.ts';
import { change } from './change.ts';
import { checkPush } from './check-push.ts';

/** More due things than this in one head would be a loop. */
const MAX_STEPS = 8;

/**
 * A task of another agent is left alone: its questions and retries are not this agent's to decide.
 * @throws RetryableError when the store does not answer
 */
export async function doDue(deps: Deps, taskId: string): Promise<void> {
  const head = await deps.store.load(taskId);
  if (!head) return;
  if (head.agent === deps.agent.name) await doAllDue(deps, head);
  else deps.log.warn('a due task of another agent was left alone: one table serves one agent', { taskId });
}

/** The head after all that was due has been done; undefined when the task was deleted. */
export async function doAllDue(deps: Deps, first: TaskHead): Promise<TaskHead | undefined> {
  let head = first;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (isRetired(deps, head) && !owesUndo(head)) return retire(deps, head);
    const due = nextDue(head);
    if (!due || due.atMs > deps.clock.now()) return head;
    const next = await doOne(deps, head, due.what);
    if (!next) return undefined;
    head = next;
  }
  return head;
}

async function doOne(deps: Deps, head: TaskHead, what: DueThing): Promise<TaskHead | undefined> {
  switch (what) {
    case 'push-check':
      return checkPush(deps, head);
    case 'secrets':
      return forgetSecrets(deps, head);
    case 'retention':
      return retire(deps, head);
    default:
      return (await change(deps, head, () => ({ type: 'do-due' }))).head;
  }
}

/** Whether an ended task has been kept long enough. The clock decides, not whether it has been removed yet (R52). */
export function isRetired(deps: Pick<Deps, 'clock'>, { status }: TaskHead): boolean {
  return isTerminal(status.state) && status.atMs + limits.retentionMs <= deps.clock.now();
}

/**
 * Secrets were deleted when the task ended, unless the process died just then; an answer that lost against the end may
 * have left one later still. Undefined when the task was deleted.
 */
async function forgetSecrets(deps: Deps, head: TaskHead): Promise<TaskHead | undefined> {
  await deps.store.dropSecrets(head.taskId);
  return (await change(deps, head, () => ({ type: 'secrets-dropped' }))).head;
}

/** Retention has passed: children first, the head last. */
async function retire(deps: Deps, head: TaskHead): Promise<undefined> {
  try {
    await deps.store.remove(head);
  } catch (error) {
    // Whoever came first was deleting it too, or registered for what will never come; the next sweep sees.
    if (!(error instanceof Conflict)) throw error;
  }
  return undefined;
}

/**
 * Of callers' looks: an overdue question matters to what they see, and a hold is not kept longer than was said because
 * timers are late; the rest is the sweeper's. The head itself, at once, where neither is due; undefined: the task is gone.
 */
export function doOverdue(deps: Deps, head: TaskHead): TaskHead | Promise<TaskHead | undefined> {
  const due = nextDue(head, (what) => what === 'expiry' || what === 'hold');
  return due && due.atMs <= deps.clock.now() ? doAllDue(deps, head) : head;
}
