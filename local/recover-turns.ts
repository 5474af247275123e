/**
 * After a start: what the queue of the process before had held. A requested turn is found by the sweeper, but only
 * once its next dispatch is due, a minute or more later; here its message is sent at once, a parked one's for its time,
 * and so are what is to be undone and pokes to tell of events.
 * Sending one that is not lost is harmless, since a turn is claimed once, and an event told only after a cursor.
 */
import { limits } from '../core/limits.ts';
import type { Deps } from '../core/ports.ts';
import type { Delegate } from '../core/delegate.ts';
import type { Hold } from '../core/hold.ts';
import type { TaskHead } from '../core/task.ts';
import type { UndoOf } from '../core/undo.ts';

/** As many tasks of one shard as are looked at; the sweeper finds the others. */
const TASKS_PER_SHARD = 1_000;

/** Returns how many turns were sent. */
export async function recoverTurns({ store, queue, clock, agent, push }: Deps): Promise<number> {
  let sent = 0;
  for (let shard = 0; shard < limits.dueShards; shard += 1) {
    const horizonMs = clock.now() + limits.redispatchMaxMs;
    for (const taskId of await store.due(shard, horizonMs, TASKS_PER_SHARD)) {
      const head = await store.load(taskId);
      if (head?.agent !== agent.name) continue;
      if (push && head.push?.check) await push.queue.send(head.push.ids.map((configId) => ({ taskId, configId })));
      for (const { of, n, afterMs } of undosOf(head)) {
        await queue.send({ taskId, undo: { of, n } }, Math.max(0, (afterMs ?? 0) - clock.now()));
      }
      const { n: turn, phase, parked } = head.turn;
      if (phase !== 'requested' && phase !== 'parked') continue;
      await queue.send({ taskId, turn }, parked ? Math.max(0, parked.untilMs - clock.now()) : 0);
      sent += 1;
    }
  }
  return sent;
}

function undosOf({ holds = [], delegates = [] }: TaskHead) {
  const owed = (of: UndoOf, list: readonly (Hold | Delegate)[]) =>
    list.flatMap(({ n, undo }) => (undo && !undo.gaveUp ? [{ of, n, afterMs: undo.afterMs }] : []));
  return [...owed('hold', holds), ...owed('delegate', delegates)];
}
