/** The deadline function: a one-shot timer has fired. Its payload is a hint; the head decides what is due. */
import { isJsonObject } from '../core/json.ts';
import { doDue } from '../core/operations/do-due.ts';
import type { Deps } from '../core/ports.ts';
import { eventStack, type Handler } from './middleware.ts';

/** Takes the Scheduler's input `{taskId, ask, timer}`. What is thrown makes the Scheduler or Lambda try again. */
export function deadlineHandler(
  deps: Deps,
  run: (deps: Deps, taskId: string) => Promise<unknown> = doDue,
): Handler<unknown, void> {
  return eventStack(deps.log, async (event) => {
    const taskId = isJsonObject(event) ? event.taskId : undefined;
    if (typeof taskId !== 'string' || taskId === '') {
      deps.log.error('ignored a timer without a task');
      return;
    }
    await run(deps, taskId);
  });
}
