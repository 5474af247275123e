/** `askback history`: all that was said in a task, by whom and when, as the agent has recorded it. */
import type { JsonObject } from '../../../core/json.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { extensionOf, historyLines, stateWord } from '../render-task.ts';
import { readTask } from '../task-now.ts';
import { openTask, type TaskOptions } from '../tasks.ts';
import type { World } from '../world.ts';

/** The whole record: agents keep fewer messages, and a server may send fewer than asked for. */
const ALL_MESSAGES = 10_000;

export async function showHistory(id: string, options: TaskOptions, world: World, out: Output): Promise<ExitCode> {
  const place = await openTask(id, options, world);
  const { taskId, agent } = place;
  const task = await readTask(place, ALL_MESSAGES);
  const messages = (task.history ?? []).map((message) => {
    const { recordedAt } = extensionOf(message.metadata);
    const at = typeof recordedAt === 'string' ? { at: recordedAt } : {};
    return { ...at, from: message.role === 'ROLE_AGENT' ? 'agent' : 'caller', message } as unknown as JsonObject;
  });
  const { name, url } = agent.identity;
  out.object({
    type: 'history',
    exitCode: EXIT.completed,
    taskId,
    contextId: task.contextId,
    agent: { name, url },
    status: { ...task.status, state: stateWord(task.status.state) } as unknown as JsonObject,
    messages,
  });
  for (const line of historyLines(task, name, out)) out.result(line);
  return EXIT.completed;
}
