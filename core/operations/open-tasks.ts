/**
 * The hint for a caller who has lost its task id (R24): a first message that names a context in which a question of the
 * same owner is open is told so. It is a hint and no more: the message has made a task of its own and is nobody's answer.
 */
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';

/**
 * `openTasks` for the metadata of a task that was just created, under our extension; undefined when there are none.
 * One index read, and one read of heads when the context has other tasks; at most 100 of them are looked at. Never
 * throws: the message is recorded by now.
 */
export async function openTasksBeside(deps: Deps, created: TaskHead): Promise<JsonObject | undefined> {
  try {
    const { owner, agent, taskId, contextId } = created;
    const found = await deps.store.contextTasks(owner, contextId, limits.hintTasks);
    const others = found.filter((id) => id !== taskId);
    if (others.length === 0) return undefined;
    const nowMs = deps.clock.now();
    const openTasks = (await deps.store.loadAll(others))
      .filter((head) => head.owner === owner && head.agent === agent && head.contextId === contextId)
      .sort((a, b) => b.status.atMs - a.status.atMs)
      .flatMap(({ taskId: id, ask }) =>
        ask && ask.expiresAtMs > nowMs ? [{ taskId: id, questionId: ask.questionId }] : [],
      );
    return openTasks.length === 0 ? undefined : { openTasks };
  } catch (error) {
    deps.log.warn('could not look for open questions in the context', { error });
    return undefined;
  }
}
