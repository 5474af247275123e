/**
 * The fakes of the ports behind gates: each call of one actor waits until the test lets it through. Child items are
 * written one by one before the head that names them, as a real store does, so that an actor can die in between.
 */
import type { Deadlines, Timer, TurnQueue } from '../../core/ports.ts';
import { Conflict, type TaskStore } from '../../core/ports.ts';
import type { Child, StepRecord, TaskHead } from '../../core/task.ts';
import type { MemoryDeadlines } from '../fakes/memory-deadlines.ts';
import type { MemoryQueue } from '../fakes/memory-queue.ts';
import type { MemoryTaskStore } from '../fakes/memory-store.ts';
import { deepFrozen } from '../support/deep-frozen.ts';
import type { Actor, Scheduler } from './scheduler.ts';

/** Told of what has been written, at the moment when it has been. */
export interface Witness {
  committed(head: TaskHead, decidedAtMs: number): void;
  recorded(call: number, standing: StepRecord): void;
}

export function gatedStore(scheduler: Scheduler, actor: Actor, store: MemoryTaskStore, seen: Witness): TaskStore {
  const write = <T>(label: string, taskId: string, work: () => Promise<T>, decidedAtMs = scheduler.nowMs): Promise<T> =>
    scheduler.call(actor, label, true, async () => {
      const before = store.peek(taskId);
      try {
        return await work();
      } finally {
        const after = store.peek(taskId);
        if (after && JSON.stringify(after) !== JSON.stringify(before)) seen.committed(after, decidedAtMs);
      }
    });
  const children = async (head: TaskHead, all: readonly Child[]): Promise<void> => {
    for (const child of all) {
      await scheduler.call(actor, `store.put ${child.kind}`, true, () => putChild(store, head, child));
    }
  };
  const writes: Partial<TaskStore> = {
    create: async (head, all) => {
      await children(head, all);
      return write('store.create', head.taskId, () => store.create(head, []));
    },
    save: async (previous, next, all = []) => {
      const decidedAtMs = scheduler.nowMs;
      await children(next, all);
      return write('store.save', next.taskId, () => store.save(previous, next, []), decidedAtMs);
    },
    claim: (taskId, turn, lease, nowMs) => write('store.claim', taskId, () => store.claim(taskId, turn, lease, nowMs)),
    putStep: async (head, record, all = []) => {
      await children(head, all);
      return scheduler.call(actor, 'store.putStep', true, async () => {
        const standing = await store.putStep(head, record, []);
        seen.recorded(record.call, standing);
        return standing;
      });
    },
    dropSecrets: (taskId) => scheduler.call(actor, 'store.dropSecrets', true, () => store.dropSecrets(taskId)),
    dropSecret: (taskId, id) => scheduler.call(actor, 'store.dropSecret', true, () => store.dropSecret(taskId, id)),
    remove: (head) => write('store.remove', head.taskId, () => store.remove(head)),
    // The index is a hint: when it was read does not matter.
    due: (shard, nowMs, limit) => store.due(shard, nowMs, limit),
  };
  // All else reads. A head is a value: nobody changes one that was given or kept.
  return new Proxy<TaskStore>(store, {
    get(_target, name: keyof TaskStore) {
      const call = store[name] as (...args: unknown[]) => Promise<unknown>;
      // Time may pass, and others may write, between a head's being read and its being looked at.
      const late = name === 'load';
      const read = (...args: unknown[]) => scheduler.call(actor, `store.${name}`, late, () => call.apply(store, args));
      const work = (writes[name] ?? read) as typeof read;
      return async (...args: unknown[]) => deepFrozen(await work(...args.map(deepFrozen)));
    },
  });
}

/** A save that can only lose: its children are written and the head is not. */
async function putChild(store: MemoryTaskStore, head: TaskHead, child: Child): Promise<void> {
  try {
    await store.save({ ...head, version: -1 }, { ...head, version: 0 }, [child]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}

export function gatedQueue(
  scheduler: Scheduler,
  actor: Actor,
  queue: MemoryQueue,
  sent: (index: number) => void,
): TurnQueue {
  return {
    send: (message, delayMs) =>
      scheduler.call(actor, 'queue.send', true, async () => {
        await queue.send(message, delayMs);
        sent(queue.sent.length - 1);
      }),
  };
}

export function gatedDeadlines(
  scheduler: Scheduler,
  actor: Actor,
  deadlines: MemoryDeadlines,
  made: (timer: Timer) => void,
): Deadlines {
  return {
    set: (timer) =>
      scheduler.call(actor, 'timers.set', true, async () => {
        await deadlines.set(timer);
        made(timer);
      }),
    delete: (timer) => scheduler.call(actor, 'timers.delete', true, () => deadlines.delete(timer)),
  };
}
