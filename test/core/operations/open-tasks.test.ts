/** R24: a caller who lost its task id and answers with the context alone. */
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../core/message.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { alice, answerTo, request, text, world } from './world.ts';

const URI = 'https://askback.dev/a2a/extensions/question/v1';
const DAY_MS = 86_400_000;
const bob = { tenant: 'local', principal: 'bob' };
const naive = { messageId: 'm-9', contextId: 'C', parts: [text('CC-4410')] };

const hintOf = ({ metadata = {} }: Task) => (metadata[URI] as { readonly openTasks?: unknown }).openTasks;

async function asking() {
  const all = world();
  const first = await all.send({ ...request, contextId: 'C' });
  await all.deliver();
  const task = await getTask(all.deps, alice, { id: first.id });
  return { ...all, task, questionId: task.status.message?.messageId };
}

describe('R24: an answer that names the context alone', () => {
  it('makes a task of its own, is told of the open question, and answers nothing', async () => {
    const { send, deps, agent, task, questionId } = await asking();
    const before = deps.store.peek(task.id);
    const made = await send(naive);
    expect(made.id).not.toBe(task.id);
    expect(made.contextId).toBe('C');
    expect(hintOf(made)).toEqual([{ taskId: task.id, questionId }]);
    expect(deps.store.peek(task.id)).toEqual(before);
    expect(agent.filed).toEqual([]);
  });

  it('the hint is enough to answer', async () => {
    const { send, deliver, deps, agent } = await asking();
    const made = await send(naive);
    const [{ taskId, questionId }] = hintOf(made) as [{ taskId: string; questionId: string }];
    await send({ messageId: 'm-10', taskId, parts: [{ data: { questionId, costCentre: 'CC-4410' } }] });
    await deliver();
    expect((await getTask(deps, alice, { id: taskId })).status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.filed).toEqual([{ costCentre: 'CC-4410' }]);
  });

  it('says nothing of questions of others, of other contexts, answered ones and overdue ones', async () => {
    const { send, deps, task } = await asking();
    expect(hintOf(await send(naive, bob))).toBeUndefined();
    expect(hintOf(await send({ ...naive, messageId: 'm-10', contextId: 'D' }))).toBeUndefined();
    expect(hintOf(await send({ messageId: 'm-11', parts: [text('hello')] }))).toBeUndefined();
    await deps.clock.advance(DAY_MS);
    expect(hintOf(await send({ ...naive, messageId: 'm-12' }))).toBeUndefined();
    expect(deps.store.peek(task.id)?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const other = await asking();
    await other.send(answerTo(other.task, { costCentre: 'CC-4410' }));
    expect(hintOf(await other.send(naive))).toBeUndefined();
  });

  it('is told so too where the context was made for the first task', async () => {
    const { send, deliver } = world();
    const first = await send(request);
    await deliver();
    expect(first.contextId).toBe(`ctx-${first.id}`);
    const made = await send({ ...naive, contextId: first.contextId });
    expect(hintOf(made)).toEqual([{ taskId: first.id, questionId: `q-${first.id.slice(0, 16)}-1` }]);
  });

  it('says nothing of a task that only the index takes for one of the caller (invariant 10)', async () => {
    const { send, deps, task } = await asking();
    deps.store.contextTasks = async () => [task.id];
    expect(hintOf(await send(naive, bob))).toBeUndefined();
  });

  it('nor of one that is in another context', async () => {
    const { send, deps, task } = await asking();
    deps.store.contextTasks = async () => [task.id];
    expect(hintOf(await send({ ...naive, contextId: `ctx-${task.id}` }))).toBeUndefined();
  });

  it('looks at 100 tasks of the context at most', async () => {
    const { send, deps } = await asking();
    const asked: number[] = [];
    const contextTasks = deps.store.contextTasks.bind(deps.store);
    deps.store.contextTasks = (owner, contextId, limit) => {
      asked.push(limit);
      return contextTasks(owner, contextId, limit);
    };
    await send(naive);
    expect(asked).toEqual([100]);
  });

  it('costs one index read when a context is given, one read of heads when it has other tasks, and nothing else', async () => {
    const { send, deps } = world();
    const calls = async (message: typeof naive | typeof request) => {
      deps.store.calls.length = 0;
      await send(message);
      return deps.store.calls.map((call) => call.op);
    };
    expect(await calls(request)).toEqual(['create']);
    expect(await calls(naive)).toEqual(['create', 'contextTasks']);
    expect(await calls({ ...naive, messageId: 'm-10' })).toEqual(['create', 'contextTasks', 'loadAll']);
  });

  it('a hint that cannot be found never makes the send fail', async () => {
    const { send, deps } = await asking();
    deps.store.before = (op) => {
      if (op === 'contextTasks') throw new Error('no index');
    };
    expect(hintOf(await send(naive))).toBeUndefined();
    expect(deps.log.lines).toMatchObject([{ level: 'warn' }]);
  });
});
