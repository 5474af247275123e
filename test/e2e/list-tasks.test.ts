/** ListTasks with the official client, on both bindings (A2A 3.1.4). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type ListPage, type ListQuery } from '../../local/official-client.ts';
import { BINDINGS, wire } from './support/bindings.ts';
import { answer, expense, history, question, REQUEST, say, taskOf } from './support/expense.ts';
import { openTarget, type Target, type User } from './support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.stop());

const QUESTION = 'https://askback.dev/a2a/extensions/question/v1';

describe.each(BINDINGS)('ListTasks (%s)', (binding) => {
  const caller = (user: User) => connect(target.url, binding, target.as(user));
  const ids = ({ tasks }: ListPage) => tasks.map((task) => task.id);

  /** Three tasks that wait for an answer, in a context of their own, oldest first. */
  async function waiting(user: User) {
    const a2a = wire(binding, target.url, target.as(user));
    const contextId = `ctx-${randomUUID()}`;
    const tasks = [];
    for (let n = 0; n < 3; n++) tasks.push(taskOf(await a2a.send(say(REQUEST, { contextId }))));
    return { a2a, contextId, tasks };
  }

  test('newest first, in pages, with totals; the last token is empty', async () => {
    const client = await caller('alice');
    const { contextId, tasks } = await waiting('alice');
    const [first, second, third] = tasks.map((task) => task.id);
    const page = await client.list({ contextId, pageSize: 2 });
    expect([ids(page), page.pageSize, page.totalSize]).toEqual([[third, second], 2, 3]);
    const rest = await client.list({ contextId, pageSize: 2, pageToken: page.nextPageToken });
    expect([ids(rest), rest.totalSize, rest.nextPageToken]).toEqual([[first], 3, '']);
  });

  test('without a context: every task of the owner once, whatever the page size', async () => {
    // Where all scenarios share one deployment, tasks of alice's begin and end meanwhile.
    const client = await caller('other-alice');
    await waiting('other-alice');
    const whole = await client.list({ pageSize: 100 });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await client.list({ pageSize: 4, ...(pageToken ? { pageToken } : {}) });
      expect(page.totalSize).toBe(whole.totalSize);
      seen.push(...ids(page));
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(seen).toEqual(ids(whole));
    const times = whole.tasks.map((task) => task.status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('by state: an answered task leaves the list of open questions', async () => {
    const client = await caller('alice');
    const { a2a, contextId, tasks } = await waiting('alice');
    const [first, second, third] = tasks;
    if (!first || !second || !third) throw new Error('three tasks were made');
    await a2a.send(answer(second, { costCentre: 'CC-4410' }));
    const open: ListQuery = { contextId, status: 'TASK_STATE_INPUT_REQUIRED' };
    const page = await client.list(open);
    expect(ids(page)).toEqual([third.id, first.id]);
    expect(page.tasks.map((task) => question(task).questionId)).toEqual([
      question(third).questionId,
      question(first).questionId,
    ]);
    expect(ids(await client.list({ contextId, status: 'TASK_STATE_COMPLETED' }))).toEqual([second.id]);
    const all = await client.list({ status: 'TASK_STATE_COMPLETED', pageSize: 100 });
    expect(ids(all)).toContain(second.id);
    expect(ids(all)).not.toContain(first.id);
  });

  test('by time, history and artifacts only where they are asked for', async () => {
    const client = await caller('alice');
    const { a2a, contextId, tasks } = await waiting('alice');
    const [first] = tasks;
    if (!first) throw new Error('three tasks were made');
    const done = taskOf(await a2a.send(answer(first, { costCentre: 'CC-4420' })));
    const since: ListQuery = { contextId, statusTimestampAfter: done.status.timestamp };
    const [plain] = (await client.list(since)).tasks;
    expect(plain).toEqual({ id: done.id, contextId, status: done.status, metadata: done.metadata });
    const [whole] = (await client.list({ ...since, historyLength: 1, includeArtifacts: true })).tasks;
    if (!whole) throw new Error('the task is on the list');
    expect(expense(whole)).toMatchObject({ costCentre: 'CC-4420' });
    expect(history(whole)).toHaveLength(1);
  });

  test('R43: nobody sees tasks of others, nor goes on with their token', async () => {
    const { contextId } = await waiting('alice');
    const { nextPageToken } = await (await caller('alice')).list({ contextId, pageSize: 1 });
    for (const user of ['bob', 'other-alice'] as const) {
      const stranger = await caller(user);
      expect(await stranger.list({ contextId })).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
      await expect(stranger.list({ contextId, pageSize: 1, pageToken: nextPageToken })).rejects.toThrow('pageToken');
    }
  });

  test('what is asked wrongly is refused with its fields', async () => {
    const client = await caller('alice');
    await expect(client.list({ pageSize: 101 })).rejects.toThrow('pageSize: must be an integer from 1 to 100');
    await expect(client.list({ pageToken: 'made-up' })).rejects.toThrow('pageToken: is not a token of this list');
  });

  test('R24: a new task in a context with an open question says so', async () => {
    const { a2a, contextId, tasks } = await waiting('alice');
    const naive = taskOf(await a2a.send(say('CC-4410', { contextId })));
    const open = tasks.map((task) => ({ taskId: task.id, questionId: question(task).questionId })).reverse();
    expect(naive.metadata?.[QUESTION]).toMatchObject({ openTasks: open });
    expect(tasks.map((task) => task.id)).not.toContain(naive.id);
  });
});
