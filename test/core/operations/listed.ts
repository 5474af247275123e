/** Tasks of one owner in the store, and what the tests of lists say of them. */
import type { ProtocolError } from '../../../core/errors.ts';
import type { Task, TaskState } from '../../../core/message.ts';
import { listTasks } from '../../../core/operations/list-tasks.ts';
import type { TaskHead } from '../../../core/task.ts';
import { next, submittedHead, T0 } from '../../support/heads.ts';
import { alice, world } from './world.ts';

export const bob = { tenant: 'local', principal: 'bob' };
export const DAY_MS = 86_400_000;
export const WORKING: TaskState = 'TASK_STATE_WORKING';

/** Tasks of Alice's in the store, each with its status so many ms after T0. */
export async function listed(offsets: Readonly<Record<string, number>>, over: Partial<TaskHead> = {}) {
  const all = world();
  for (const [taskId, offset] of Object.entries(offsets)) {
    const status = { state: WORKING, atMs: T0 + offset, seq: 1 } as const;
    await all.deps.store.create(submittedHead(taskId, { owner: '5:local:alice', status, ...over }), []);
  }
  const list = (request = {}, owner = alice) => listTasks(all.deps, owner, request);
  /** The task moves on: another state, at another time. */
  const move = async (taskId: string, offset: number, state: TaskState = WORKING) => {
    const head = all.deps.store.peek(taskId);
    if (!head) throw new Error(`no task ${taskId}`);
    await all.deps.store.save(head, next(head, { status: { state, atMs: T0 + offset, seq: 1 } }));
  };
  return { ...all, list, move };
}

export const ids = ({ tasks }: { readonly tasks: readonly Task[] }) => tasks.map((task) => task.id);

export async function refusal(run: Promise<unknown>): Promise<ProtocolError> {
  return run.then(
    () => {
      throw new Error('was not refused');
    },
    (error: ProtocolError) => error,
  );
}
