/**
 * The backstop of delivery. A poke may be lost, and so may the poke of a retry; so every event leaves a time at which
 * somebody looks whether all has been told. While something has not, the looks go on, each after twice the time.
 */
import type { Deps } from '../ports.ts';
import type { PushPorts } from '../push/ports.ts';
import { idleReason } from '../push/config.ts';
import type { TaskHead } from '../task.ts';
import { change } from './change.ts';
import { perform } from './perform.ts';

export function isPushCheckDue({ push }: TaskHead, nowMs: number): boolean {
  return push?.check !== undefined && push.check.atMs <= nowMs;
}

/** The head after the look; undefined when the task is gone. */
export async function checkPush(deps: Deps, head: TaskHead): Promise<TaskHead | undefined> {
  // A deployment that sends no notifications any more has nothing to look after.
  const behind = deps.push ? await pokeBehind(deps, deps.push, head) : false;
  const changed = await change(deps, head, (now) =>
    // An event that came meanwhile has set a later time of its own.
    isPushCheckDue(now, deps.clock.now()) ? { type: 'check-push', behind } : undefined,
  );
  return changed.head;
}

/** Whether a config has yet to be told of something; those that nobody is about to tell are poked. */
async function pokeBehind(deps: Deps, { store }: PushPorts, head: TaskHead): Promise<boolean> {
  const nowMs = deps.clock.now();
  const reasons = (await store.list(head))
    .filter(({ id }) => head.push?.ids.includes(id))
    .map((config) => ({ id: config.id, reason: idleReason(config, head.generation, nowMs) }));
  const configIds = reasons.filter(({ reason }) => reason === undefined).map(({ id }) => id);
  if (configIds.length > 0) await perform(deps, [{ kind: 'poke-push', taskId: head.taskId, configIds }]);
  return reasons.some(({ reason }) => reason !== 'told' && reason !== 'given-up');
}
