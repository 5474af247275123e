/**
 * Cancels a sub-task that nobody waits for any more; found by the name of its agent, since no turn of the author's runs.
 * Where its id is not known, what began it is sent once more: the same messageId gives the same task, or makes one that
 * is then canceled.
 */
import type { UndoHost } from '../core/agent.ts';
import type { Delegate } from '../core/delegate.ts';
import type { SubAgents } from './delegate.ts';
import type { Begun } from './delegate-begin.ts';
import { isRetryable, type SubAgent } from './sub-agent.ts';

/** @throws SubAgentError, or an Error where the agent module has no such agent any more: it is tried again */
export async function cancelSubTask(agents: SubAgents, entry: Delegate, host: UndoHost): Promise<void> {
  const sub = Object.hasOwn(agents, entry.agent) ? agents[entry.agent] : undefined;
  if (!sub) throw new Error(`the agent module has no agent "${entry.agent}" in \`agents\``);
  const taskId = entry.subTask?.taskId ?? (await subTaskOf(sub, entry, host));
  if (taskId !== undefined) await sub.cancel(taskId, host.signal);
}

/** Undefined: there is none, for the agent answered at once. */
async function subTaskOf(sub: SubAgent, { call, message }: Delegate, host: UndoHost): Promise<string | undefined> {
  const recorded = await host.recorded(call);
  if (recorded && 'result' in recorded && 'ok' in recorded.result) {
    const begun = recorded.result.ok as unknown as Begun;
    if (begun.is === 'task') return begun.taskId;
    if (begun.is === 'message') return undefined;
  }
  if (!message) throw new Error(`what began the sub-task of call ${call} is not known`);
  const first = await host.read(message);
  try {
    const reply = await sub.send(first, { signal: host.signal });
    return 'task' in reply ? reply.task.id : undefined;
  } catch (error) {
    if (isRetryable(error)) throw error;
    // Refused now, and refused then: there never was one.
    return undefined;
  }
}
