/** `askback cancel`: ends a task for good. */
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CommandFailed } from '../failures.ts';
import { outcomeObject } from '../outcome.ts';
import type { Output } from '../output.ts';
import { stateWord, statusLine, textOf } from '../render-task.ts';
import { pendingStore } from '../run.ts';
import { settle } from '../task-now.ts';
import { failureAt, openTask, type TaskOptions } from '../tasks.ts';
import type { World } from '../world.ts';

/** Ends with 0 when the task is canceled now. */
export async function cancel(id: string, options: TaskOptions, world: World, out: Output): Promise<ExitCode> {
  const place = await openTask(id, options, world);
  const { taskId, agent } = place;
  const task = await agent.calls.cancel(taskId).catch((error: unknown) => {
    throw failureAt(place, error);
  });
  const { state, message } = task.status;
  if (state !== 'TASK_STATE_CANCELED') {
    throw new CommandFailed(EXIT.refused, `the agent did not cancel the task: it is ${stateWord(state)}`);
  }
  await settle(pendingStore(world), place, world.now());
  out.object(outcomeObject({ kind: 'canceled', task, text: textOf(message) }, EXIT.completed));
  out.result(statusLine(task, out));
  return EXIT.completed;
}
