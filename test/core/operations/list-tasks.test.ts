/** ListTasks on the core with fakes (A2A 3.1.4; design, section 9): what is shown, and in which order. */
import { describe, expect, it } from 'vitest';
import type { Artifact, Task } from '../../../core/message.ts';
import { listTasks } from '../../../core/operations/list-tasks.ts';
import type { TaskHead } from '../../../core/task.ts';
import { next, submittedHead, T0 } from '../../support/heads.ts';
import { bob, DAY_MS, ids, listed, refusal, WORKING } from './listed.ts';
import { alice, answerTo, request, text, world } from './world.ts';

describe('a list', () => {
  it('has the newest status first, with totals and an empty token on its only page', async () => {
    const { list } = await listed({ a: 1, b: 3, c: 2 });
    const page = await list();
    expect(ids(page)).toEqual(['b', 'c', 'a']);
    expect(page).toMatchObject({ nextPageToken: '', pageSize: 50, totalSize: 3 });
    expect(page.tasks[0]).toEqual({
      id: 'b',
      contextId: 'ctx-b',
      status: { state: 'TASK_STATE_WORKING', timestamp: '2027-01-15T08:00:00.003Z' },
      metadata: { 'https://askback.dev/a2a/extensions/question/v1': { generation: 1 } },
    });
  });

  it('is empty for an owner without tasks, and shows nothing of others (R43)', async () => {
    const { list } = await listed({ a: 1 });
    expect(await list({}, bob)).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    expect(ids(await list({ contextId: 'ctx-a' }, bob))).toEqual([]);
    expect(ids(await list({}, { tenant: 'other', principal: 'alice' }))).toEqual([]);
  });

  it('shows nothing of others that an index takes for tasks of the caller (invariant 10)', async () => {
    const { deps, list } = await listed({ a: 1 });
    deps.store.contextTasks = async () => ['a'];
    expect(await list({ contextId: 'ctx-a' }, bob)).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('of a context shows no task of another one, whatever the name of the context tells (decision 0025)', async () => {
    const { deps, list } = await listed({ a: 1 }, { contextId: 'trip' });
    deps.store.contextTasks = async () => ['a'];
    expect(await list({ contextId: 'ctx-a' })).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('shows nothing of another agent in the same table', async () => {
    const { list } = await listed({ a: 1 }, { agent: 'Travel agent' });
    expect(await list()).toMatchObject({ tasks: [], totalSize: 0 });
    expect(await list({ contextId: 'ctx-a' })).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('goes on from page to page with the total of the first, and says of the last that it is the last', async () => {
    const { list } = await listed({ a: 1, b: 2, c: 3, d: 4 });
    const first = await list({ pageSize: 2 });
    expect([ids(first), first.pageSize, first.totalSize]).toEqual([['d', 'c'], 2, 4]);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([ids(second), second.totalSize, second.nextPageToken]).toEqual([['b', 'a'], 4, '']);
  });

  it('counts on the first page only, and only when there is a second', async () => {
    const { deps, list } = await listed({ a: 1, b: 2, c: 3 });
    const counted = () => deps.store.calls.filter((call) => call.op === 'countOwnerTasks').length;
    await list({ pageSize: 3 });
    expect(counted()).toBe(0);
    const { nextPageToken } = await list({ pageSize: 1 });
    expect(counted()).toBe(1);
    await list({ pageSize: 1, pageToken: nextPageToken });
    expect(counted()).toBe(1);
  });

  it('costs one search and one read of heads for a page, whatever the number of tasks', async () => {
    const { deps, list } = await listed(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`t-${n}`, n])));
    deps.store.calls.length = 0;
    await list({ pageSize: 10 });
    expect(deps.store.calls.map((call) => call.op)).toEqual(['ownerTasks', 'loadAll', 'countOwnerTasks']);
  });

  it.each([{}, { contextId: 'ctx-a' }])('leaves out what retention has ended and is being deleted (%j)', async (by) => {
    const status = { state: 'TASK_STATE_COMPLETED', atMs: T0, seq: 1 } as const;
    const { deps, list } = await listed({ a: 0 }, { status, turn: { n: 1, phase: 'idle', attempts: 0 } });
    expect(ids(await list(by))).toEqual(['a']);
    await deps.clock.advance(30 * DAY_MS);
    expect(await list(by)).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('is filtered by state and by time', async () => {
    const { list, move } = await listed({ a: 1, b: 2, c: 3 });
    await move('b', 4, 'TASK_STATE_COMPLETED');
    expect(ids(await list({ status: WORKING }))).toEqual(['c', 'a']);
    expect(await list({ status: WORKING, pageSize: 1 })).toMatchObject({ totalSize: 2 });
    expect(ids(await list({ sinceMs: T0 + 3 }))).toEqual(['b', 'c']);
    expect(await list({ status: 'TASK_STATE_REJECTED' })).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it('judges by the head what the index has wrong: the page is sorted by what it shows', async () => {
    const { deps, list } = await listed({ a: 1, b: 2, c: 3 });
    const stale = await deps.store.ownerTasks({ owner: '5:local:alice', agent: 'Expense agent' }, undefined, 10);
    const a = deps.store.peek('a') as TaskHead;
    await deps.store.save(a, next(a, { status: { state: 'TASK_STATE_COMPLETED', atMs: T0 + 9, seq: 1 } }));
    deps.store.ownerTasks = async () => stale;
    expect(ids(await list())).toEqual(['a', 'c', 'b']);
    expect(ids(await list({ status: WORKING }))).toEqual(['c', 'b']);
  });
});

describe('by context', () => {
  it('has the tasks of that context, sorted, filtered and counted by their heads', async () => {
    const { deps, list, move } = await listed({ a: 1, b: 3, c: 2 }, { contextId: 'trip' });
    await deps.store.create(submittedHead('x', { owner: '5:local:alice' }), []);
    deps.store.calls.length = 0;
    const first = await list({ contextId: 'trip', pageSize: 2 });
    expect([ids(first), first.totalSize]).toEqual([['b', 'c'], 3]);
    expect(deps.store.calls.map((call) => call.op)).toEqual(['contextTasks', 'loadAll']);
    const second = await list({ contextId: 'trip', pageSize: 2, pageToken: first.nextPageToken });
    expect([ids(second), second.totalSize, second.nextPageToken]).toEqual([['a'], 3, '']);
    await move('c', 5, 'TASK_STATE_COMPLETED');
    expect(ids(await list({ contextId: 'trip', status: WORKING }))).toEqual(['b', 'a']);
    expect(ids(await list({ contextId: 'trip', sinceMs: T0 + 3 }))).toEqual(['c', 'b']);
  });

  it('falls back to the owner with a filter when the context has more than 1,000 tasks', async () => {
    const offsets = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`t-${String(n).padStart(4, '0')}`, n]));
    const { deps, list } = await listed(offsets, { contextId: 'trip' });
    deps.store.calls.length = 0;
    const page = await list({ contextId: 'trip', pageSize: 3 });
    expect(ids(page)).toEqual(['t-1000', 't-0999', 't-0998']);
    expect(page.totalSize).toBe(1_001);
    expect(deps.store.calls.map((call) => call.op)).toEqual([
      'contextTasks',
      'ownerTasks',
      'loadAll',
      'countOwnerTasks',
    ]);
  });

  it('R21: three rounds of questions leave one task in the context', async () => {
    const { deps, send, deliver } = world();
    const task = await send({ ...request, contextId: 'C' });
    await deliver();
    let asking = (await listTasks(deps, alice, { contextId: 'C' })).tasks[0] as Task;
    for (const n of [1, 2]) {
      asking = await send({ messageId: `bad-${n}`, taskId: task.id, parts: [text('engineering')] });
    }
    await send(answerTo(asking, { costCentre: 'CC-4410' }, 'good'));
    await deliver();
    const page = await listTasks(deps, alice, { contextId: 'C' });
    expect(page).toMatchObject({ totalSize: 1, tasks: [{ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } }] });
  });
});

describe('an overdue question (invariant 7)', () => {
  it('is expired by the list that comes upon it, before it is shown', async () => {
    const { deps, send, deliver } = world();
    const task = await send(request);
    await deliver();
    await deps.clock.advance(DAY_MS);
    const page = await listTasks(deps, alice, {});
    expect(page.tasks[0]?.status).toMatchObject({ state: 'TASK_STATE_FAILED', timestamp: '2027-01-16T08:00:00.000Z' });
    expect(deps.store.peek(task.id)?.status.state).toBe('TASK_STATE_FAILED');
  });

  it.each([{}, { contextId: 'C' }])('is on no list of open questions, nor counted where heads are (%j)', async (by) => {
    const { deps, send, deliver } = world();
    await send({ ...request, contextId: 'C' });
    await deliver();
    const open = { ...by, status: 'TASK_STATE_INPUT_REQUIRED' } as const;
    expect(await listTasks(deps, alice, open)).toMatchObject({ totalSize: 1, tasks: [{ contextId: 'C' }] });
    await deps.clock.advance(DAY_MS);
    expect(await listTasks(deps, alice, open)).toMatchObject({ totalSize: 0, tasks: [] });
  });
});

describe('what a listed task holds', () => {
  it('no history and no artifacts, unless they are asked for', async () => {
    const { deps, send, deliver } = world();
    const task = await send(request);
    await deliver();
    await send(answerTo((await listTasks(deps, alice, {})).tasks[0] as Task, { costCentre: 'CC-4410' }));
    await deliver();
    const plain = (await listTasks(deps, alice, {})).tasks[0];
    expect(Object.keys(plain ?? {}).sort()).toEqual(['contextId', 'id', 'metadata', 'status']);
    const [whole] = (await listTasks(deps, alice, { historyLength: 2, includeArtifacts: true })).tasks;
    expect(whole?.history?.map((message) => message.messageId)).toEqual([`q-${task.id.slice(0, 16)}-1`, 'm-2']);
    expect(whole?.artifacts?.map((artifact) => artifact.artifactId)).toEqual(['expense']);
  });

  it('an empty list of artifacts where they are asked for and there are none', async () => {
    const { list } = await listed({ a: 1 });
    expect((await list({ includeArtifacts: true })).tasks[0]?.artifacts).toEqual([]);
  });

  it('the open question', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    const [task] = (await listTasks(deps, alice, { status: 'TASK_STATE_INPUT_REQUIRED' })).tasks;
    expect(task?.status.message?.parts[1]?.data).toMatchObject({ options: ['CC-4410', 'CC-4420'] });
  });
});

describe('one response (R76)', () => {
  /** Tasks that each hold an artifact of so many characters, in a blob. */
  async function withArtifacts(sizes: readonly number[], char = 'x') {
    const all = world();
    for (const [n, size] of sizes.entries()) {
      const artifact: Artifact = { artifactId: 'a', parts: [{ text: char.repeat(size) }] };
      const json = JSON.stringify({ artifact, append: false, lastChunk: true });
      const head = submittedHead(`t-${n}`, {
        owner: '5:local:alice',
        status: { state: WORKING, atMs: T0 - n, seq: 1 },
        seq: 2,
        firstArtifactSeq: 2,
        log: [
          ...submittedHead('t').log,
          { seq: 2, atMs: T0, generation: 2, artifact: { blob: `hash-${n}`, bytes: json.length } },
        ],
      });
      await all.deps.store.create(head, [{ kind: 'blob', hash: `hash-${n}`, json }]);
    }
    return all;
  }

  it('carries as many tasks as fit, and the rest follow on the next page', async () => {
    const { deps } = await withArtifacts([2_500_000, 2_500_000, 2_500_000, 100]);
    const first = await listTasks(deps, alice, { includeArtifacts: true });
    expect([ids(first), first.totalSize, first.pageSize]).toEqual([['t-0', 't-1'], 4, 50]);
    const second = await listTasks(deps, alice, { includeArtifacts: true, pageToken: first.nextPageToken });
    expect([ids(second), second.nextPageToken]).toEqual([['t-2', 't-3'], '']);
    expect(ids(await listTasks(deps, alice, {}))).toEqual(['t-0', 't-1', 't-2', 't-3']);
  });

  it('says which task is too large even alone, and the list without artifacts still has it', async () => {
    const { deps } = await withArtifacts([2_000_000], '"');
    const refused = await refusal(listTasks(deps, alice, { includeArtifacts: true }));
    expect(refused).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      message: 'Task t-0 with its artifacts is too large for one response; list without artifacts',
    });
    expect(ids(await listTasks(deps, alice, {}))).toEqual(['t-0']);
  });
});
