/**
 * A blocking send (A2A 3.2.2): waits until the task is interrupted or terminal, or until the gateway would give up.
 * Polls fast while something is likely to happen soon, then slowly; a write in the same process wakes it.
 */
import { limits } from '../limits.ts';
import { isInterrupted, isTerminal } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';

/** The newest head seen, whatever its state, once `waitMs` are over or the caller has gone. */
export async function waitForTask(
  deps: Deps,
  first: TaskHead,
  options: { readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<TaskHead> {
  const { clock, store, wake } = deps;
  const startMs = clock.now();
  let head = first;
  while (!isTerminal(head.status.state) && !isInterrupted(head.status.state) && !options.signal?.aborted) {
    const waitedMs = clock.now() - startMs;
    if (waitedMs >= options.waitMs) break;
    const pollMs = waitedMs < limits.pollFastForMs ? limits.pollFastMs : limits.pollSlowMs;
    await wake.wait(head.taskId, Math.min(pollMs, options.waitMs - waitedMs), options.signal);
    const next = await store.load(head.taskId);
    if (!next) break;
    head = next;
  }
  return head;
}
