/**
 * Undoes one thing outside: releases a hold, cancels a sub-task. Runs where turns run, since only there the author's code
 * has its permissions, and without a turn: the code is found by its name in the agent module. At least once, under a key
 * that is the same for every attempt.
 */
import { parseOwnerKey } from '../ids.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { UndoMessage } from '../queue-message.ts';
import type { Debt, UndoHost } from '../agent.ts';
import type { TaskHead } from '../task.ts';
import { entryOf, roundOf } from '../transition/undo.ts';
import type { Undo } from '../undo.ts';
import { resolveKept } from '../view/kept.ts';
import { change } from './change.ts';
import { fromStep } from './turn-records.ts';
import { within } from './within.ts';

/**
 * @throws RetryableError when the store does not answer
 * @throws Error when the last attempt failed: the queue delivers again, and then gives the message to its dead letters
 */
export async function runUndo(deps: Deps, { taskId, undo: { of, n } }: UndoMessage): Promise<void> {
  const head = await deps.store.load(taskId);
  if (!head || head.agent !== deps.agent.name) return;
  const entry = entryOf(head, of, n);
  const undo = entry?.undo;
  if (!undo || isTooEarly(undo, deps.clock.now())) return;
  const failure = await attempt(deps, head, { of, entry } as Debt);
  const which = { of, n, round: roundOf(undo) };
  if (!failure) {
    await change(deps, head, () => ({ type: 'undone', ...which }));
    return;
  }
  const fields = { taskId, of, n, attempt: undo.attempts + 1, attempts: limits.undoAttempts, error: failure.error };
  deps.log.error('what a task had begun could not be undone', fields);
  const { attempts } = undo;
  const changed = await change(deps, head, () => ({ type: 'undo-failed', ...which, attempts }));
  const now = changed.head && entryOf(changed.head, of, n)?.undo;
  if (now?.gaveUp) throw new Error(`${of} ${n} of task ${taskId} could not be undone`, { cause: failure.error });
}

/** A message with a delay of its own is on its way. */
function isTooEarly({ afterMs }: Undo, nowMs: number): boolean {
  return afterMs !== undefined && nowMs < afterMs;
}

async function attempt(deps: Deps, head: TaskHead, debt: Debt): Promise<{ readonly error: unknown } | undefined> {
  const aborted = new AbortController();
  const host: UndoHost = {
    taskId: head.taskId,
    contextId: head.contextId,
    owner: parseOwnerKey(head.owner),
    signal: aborted.signal,
    read: async (kept) => resolveKept(deps.store, head, kept),
    recorded: async (call) => {
      const step = (await deps.store.steps(head)).find((one) => one.call === call);
      return step && fromStep(deps, head, step);
    },
  };
  try {
    if (!deps.agent.undo) throw new Error('the agent module has nothing that undoes');
    const late = () => new Error(`it took longer than ${limits.undoMs} ms`);
    await within(deps.clock, limits.undoMs, deps.agent.undo(debt, host), late);
    return undefined;
  } catch (error) {
    return { error };
  } finally {
    aborted.abort();
  }
}
