/** Ahead of A2A 1.1 (design 9): a send on top of a known generation, and a get that waits for the next. */
import { describe, expect, it } from 'vitest';
import { acceptMessage } from '../../../core/operations/send-message.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import type { Message } from '../../../core/message.ts';
import { settle } from '../../fakes/manual-clock.ts';
import { inTime, status, write } from './streaming.ts';
import { moveTo } from '../../../core/transition/draft.ts';
import { alice, answerTo, request, world } from './world.ts';

const URI = 'https://askback.dev/a2a/extensions/question/v1';

async function asking() {
  const made = world();
  await made.send(request);
  await made.deliver();
  const task = await made.send(request);
  const sendIf = (message: Omit<Message, 'role'>, ifGenerationMatch: number) =>
    acceptMessage(made.deps, alice, { message: { ...message, role: 'ROLE_USER' }, ifGenerationMatch });
  return { ...made, task, sendIf, store: made.deps.store, clock: made.deps.clock };
}

describe('ifGenerationMatch', () => {
  it('lets a message through while the task has that generation', async () => {
    const { task, sendIf, store } = await asking();
    expect(task.metadata).toEqual({ [URI]: { generation: 3 } });
    await sendIf(answerTo(task, { costCentre: 'CC-4410' }), 3);
    expect(store.peek(task.id)?.generation).toBe(4);
  });

  it('refuses it once the task has moved on, and says where it is; nothing changes', async () => {
    const { task, sendIf, store } = await asking();
    await expect(sendIf(answerTo(task, { costCentre: 'CC-4410' }), 2)).rejects.toMatchObject({
      reason: 'TASK_GENERATION_MISMATCH',
      message: 'Task generation mismatch: expected 2, and the task is at 3',
      metadata: { taskId: task.id, expectedGeneration: '2', currentGeneration: '3' },
    });
    expect(store.peek(task.id)).toMatchObject({ version: 3, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  });

  it('holds in the write itself: an event that comes between look and write is noticed', async () => {
    const { task, sendIf, store, clock } = await asking();
    let raced = false;
    store.before = async (op) => {
      if (op !== 'save' || raced) return;
      raced = true;
      // As a reminder does: another event, the same question.
      await status(store, task.id, 'TASK_STATE_INPUT_REQUIRED', clock.now());
    };
    await expect(sendIf(answerTo(task, { costCentre: 'CC-4410' }), 3)).rejects.toMatchObject({
      metadata: { currentGeneration: '4' },
    });
    expect(store.peek(task.id)?.ask).toBeDefined();
  });

  it('a repeat is no second message: it gets the task, whatever the generation is by now', async () => {
    const { task, sendIf } = await asking();
    const answer = answerTo(task, { costCentre: 'CC-4410' });
    await sendIf(answer, 3);
    expect(await sendIf(answer, 3)).toMatchObject({ head: { generation: 4 } });
  });

  it('means nothing to a message that makes a task', async () => {
    const { sendIf } = await asking();
    expect(await sendIf({ ...request, messageId: 'm-new' }, 7)).toMatchObject({ head: { generation: 1 } });
  });
});

describe('the long poll of GetTask', () => {
  it('returns at once what is newer than the caller has', async () => {
    const { task, deps, clock } = await asking();
    const startMs = clock.now();
    const got = await getTask(deps, alice, { id: task.id, currentGeneration: 2 });
    expect(got.metadata).toEqual({ [URI]: { generation: 3 } });
    expect(clock.now()).toBe(startMs);
  });

  it('waits for the next event, also one of another instance', async () => {
    const { task, deps, clock, store } = await asking();
    const waiting = getTask(deps, alice, { id: task.id, currentGeneration: 3 });
    await clock.advance(9_000);
    await write(store, task.id, (draft) => moveTo(draft, 'TASK_STATE_CANCELED'));
    const got = await inTime(clock, waiting);
    expect(got).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' }, metadata: { [URI]: { generation: 4 } } });
    expect(clock.now() - 1_800_000_000_000).toBeLessThanOrEqual(11_000);
  });

  it.each([
    [undefined, undefined, 25_000],
    [4_000, undefined, 4_000],
    [60_000, undefined, 25_000],
    [10_000, 3_000, 3_000],
  ])('asked to wait %s, allowed %s: the task as it is after %i ms', async (asked, allowed, expected) => {
    const { task, deps, clock } = await asking();
    const startMs = clock.now();
    const poll = { id: task.id, currentGeneration: 3, ...(asked === undefined ? {} : { waitMs: asked }) };
    const got = await inTime(clock, getTask(deps, alice, poll, allowed === undefined ? {} : { waitMs: allowed }));
    expect(got.metadata).toEqual({ [URI]: { generation: 3 } });
    expect(clock.now() - startMs).toBe(expected);
  });

  it('does not wait for what has ended', async () => {
    const { task, deps, clock, store } = await asking();
    await write(store, task.id, (draft) => moveTo(draft, 'TASK_STATE_CANCELED'));
    const startMs = clock.now();
    await getTask(deps, alice, { id: task.id, currentGeneration: 4 });
    expect(clock.now()).toBe(startMs);
  });

  it('stops when its caller has gone', async () => {
    const { task, deps, clock } = await asking();
    const gone = new AbortController();
    const waiting = getTask(deps, alice, { id: task.id, currentGeneration: 3 }, { signal: gone.signal });
    await settle();
    gone.abort();
    await waiting;
    expect(clock.sleeping).toBe(0);
  });
});
