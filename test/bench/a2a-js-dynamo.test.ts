/** The peer on DynamoDB does what its interface asks, by either client: otherwise ours would be measured against less. */
import { type ListTasksRequest, Task, TaskState } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Table } from '../../aws/table.ts';
import { ItemTaskStore, itemsOfDocuments } from '../../bench/a2a-js-dynamo.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

const callerOf = (userName: string, tenant = '') =>
  new ServerCallContext({ tenant, user: { isAuthenticated: true, userName } } as ConstructorParameters<
    typeof ServerCallContext
  >[0]);
const task = (id: string, second: number, state = 'TASK_STATE_WORKING', contextId = 'c-1') =>
  Task.fromJSON({
    id,
    contextId,
    status: { state, timestamp: `2026-11-30T12:00:0${second}.000Z` },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'done' }] }],
    history: [1, 2].map((n) => ({ messageId: `m-${n}`, role: 'ROLE_USER', parts: [{ text: 'hi' }] })),
  });
const ALL: ListTasksRequest = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
};

describe.each([
  ['the document client', () => itemsOfDocuments(dynamo.documents, dynamo.tableName)],
  ['the client of ours', () => new Table(dynamo.client, dynamo.tableName, async () => undefined)],
])('the task store of the peer, by %s', (name, items) => {
  const ann = callerOf(`ann of ${name}`);
  const bob = callerOf(`bob of ${name}`);
  let store: ItemTaskStore;
  const listed = async (params: Partial<ListTasksRequest>, caller = ann) => {
    const { tasks, nextPageToken, totalSize } = await store.list({ ...ALL, ...params }, caller);
    return { ids: tasks.map(({ id }) => id), more: nextPageToken !== '', totalSize, nextPageToken };
  };
  beforeAll(async () => {
    store = new ItemTaskStore(items());
    await store.save(task('t-1', 1), ann);
    await store.save(task('t-2', 2, 'TASK_STATE_COMPLETED'), ann);
    await store.save(task('t-3', 3, 'TASK_STATE_WORKING', 'c-2'), ann);
    await store.save(task('t-4', 4), bob);
  });

  it('gives back what was saved last, to its caller alone', async () => {
    const carl = callerOf(`carl of ${name}`);
    const saved = task('t-5', 5);
    await store.save(task('t-5', 4), carl);
    await store.save(saved, carl);
    expect(await store.load('t-5', carl)).toEqual(saved);
    expect(await store.load('t-5', ann)).toBeUndefined();
  });

  it('knows a caller by tenant and name, and one without a name', async () => {
    await store.save(task('t-6', 6), callerOf(`c of ${name}`, 'a#b'));
    expect(await store.load('t-6', callerOf(`b#c of ${name}`, 'a'))).toBeUndefined();
    expect(await store.load('t-6', callerOf(`c of ${name}`))).toBeUndefined();
    const nobody = new ServerCallContext();
    await store.save(task('t-7', 7), nobody);
    expect((await store.load('t-7', callerOf('unknown')))?.id).toBe('t-7');
  });

  it('lists the tasks of a caller, newest first, page by page', async () => {
    expect(await listed({})).toMatchObject({ ids: ['t-3', 't-2', 't-1'], more: false, totalSize: 3 });
    expect(await listed({}, bob)).toMatchObject({ ids: ['t-4'], totalSize: 1 });
    const first = await listed({ pageSize: 2 });
    expect(first).toMatchObject({ ids: ['t-3', 't-2'], more: true, totalSize: 3 });
    const second = await listed({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ ids: ['t-1'], more: false, totalSize: 3 });
  });

  it.each<[Partial<ListTasksRequest>, string[]]>([
    [{ contextId: 'c-2' }, ['t-3']],
    [{ status: TaskState.TASK_STATE_COMPLETED }, ['t-2']],
    [{ statusTimestampAfter: '2026-11-30T12:00:02.000Z' }, ['t-3', 't-2']],
    [{ contextId: 'c-3' }, []],
  ])('lists those of %j', async (params, ids) => {
    expect(await listed(params)).toMatchObject({ ids, more: false, totalSize: ids.length });
  });

  it('shows artifacts where they are asked for, and the history, which the handler of the SDK cuts', async () => {
    const [brief] = (await store.list({ ...ALL, pageSize: 1, historyLength: 1 }, ann)).tasks;
    expect(brief?.history.map(({ messageId }) => messageId)).toEqual(['m-1', 'm-2']);
    expect(brief?.artifacts).toEqual([]);
    const [whole] = (await store.list({ ...ALL, pageSize: 1, includeArtifacts: true }, ann)).tasks;
    expect(whole?.artifacts.map(({ artifactId }) => artifactId)).toEqual(['a']);
  });
});
