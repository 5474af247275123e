/** Both pending stores keep the one promise that resuming rests on: of two writes on one version, one wins. */
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FilePendingStore, type PendingStore, type PendingTask } from '../../client/index.ts';
import { DynamoPendingStore } from '../../client/pending-dynamodb.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

let folder: string;
let dynamo: LocalDynamo;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-pending-'));
  dynamo = await startDynalite();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await dynamo.stop();
});

function task(taskId: string, more: Partial<PendingTask> = {}): PendingTask {
  const agent = { name: 'Agent', url: 'http://localhost:3000' };
  return { taskId, contextId: 'c', agent, state: 'waiting', rounds: 0, maxRounds: 3, savedAtMs: 1_000, ...more };
}

/** Two stores on the same data, as two processes have them. */
const stores: [string, () => PendingStore][] = [
  ['files', () => new FilePendingStore(join(folder, 'tasks'))],
  ['DynamoDB', () => new DynamoPendingStore({ client: dynamo.documents, tableName: dynamo.tableName })],
];

describe.each(stores)('the pending store in %s', (_name, open) => {
  test('gives back what was written, with versions from 1', async () => {
    const store = open();
    expect(await store.get('t-1')).toBeUndefined();
    expect(await store.write(task('t-1'), undefined)).toBe(true);
    expect(await open().get('t-1')).toEqual({ task: task('t-1'), version: 1 });
    expect(await store.write(task('t-1', { rounds: 1 }), 1)).toBe(true);
    expect(await open().get('t-1')).toEqual({ task: task('t-1', { rounds: 1 }), version: 2 });
  });

  test('refuses a write on a version that is not there any more, or not yet', async () => {
    const store = open();
    await store.write(task('t-2'), undefined);
    expect(await store.write(task('t-2', { rounds: 9 }), undefined)).toBe(false);
    expect(await store.write(task('t-2', { rounds: 9 }), 2)).toBe(false);
    await store.write(task('t-2', { rounds: 1 }), 1);
    expect(await store.write(task('t-2', { rounds: 9 }), 1)).toBe(false);
    expect((await store.get('t-2'))?.task.rounds).toBe(1);
  });

  test('of twenty writes on one version at once, one wins, ten times in a row', async () => {
    for (let version = 0; version < 10; version += 1) {
      const expected = version === 0 ? undefined : version;
      const writes = Array.from({ length: 20 }, (_, n) => open().write(task('t-3', { rounds: n }), expected));
      const won = (await Promise.all(writes)).flatMap((ok, n) => (ok ? [n] : []));
      expect(won).toHaveLength(1);
      expect(await open().get('t-3')).toEqual({
        task: task('t-3', { rounds: won[0] as number }),
        version: version + 1,
      });
    }
  });

  test('lists what is not done, oldest first, whatever characters stand in task ids', async () => {
    const store = open();
    await store.write(task('../../x/ü\n', { savedAtMs: 3 }), undefined);
    await store.write(task('T-4', { savedAtMs: 2 }), undefined);
    await store.write(task('t-4', { state: 'done', savedAtMs: 1 }), undefined);
    const ids = (await open().list()).map(({ task: { taskId } }) => taskId);
    expect(ids.slice(0, 2)).toEqual(['T-4', '../../x/ü\n']);
    expect(ids).not.toContain('t-4');
  });
});

test('one file for each task, readable by its owner only, and none left aside', async () => {
  const store = new FilePendingStore(join(folder, 'one'));
  await store.write(task('a'), undefined);
  await store.write(task('a', { rounds: 1 }), 1);
  await store.write(task('b'), undefined);
  const files = await readdir(join(folder, 'one'));
  expect(files.map((name) => name.replace(/^[0-9a-f]{40}/, '…')).sort()).toEqual(['….1.json', '….2.json']);
});

test('DynamoDB: scopes in one table do not see each other', async () => {
  const options = { client: dynamo.documents, tableName: dynamo.tableName };
  await new DynamoPendingStore({ ...options, scope: 'one' }).write(task('s'), undefined);
  expect(await new DynamoPendingStore({ ...options, scope: 'two' }).list()).toEqual([]);
});

describe('files that are not as they should be', () => {
  const DAY = 86_400_000;
  const NOW = Date.parse('2026-11-30T12:00:00Z');
  const files = async (name: string) => (await readdir(join(folder, name))).sort();

  test.each([
    ['cut off', '{"id":"x","ance'],
    ['empty', ''],
    ['of another shape', '{"id":"x","ancestors":[],"task":{"taskId":7}}'],
    ['null', 'null'],
  ])('%s: the task is unknown, the others are listed, and it can be written anew', async (_what, text) => {
    const name = `corrupt-${text.length}`;
    const store = new FilePendingStore(join(folder, name));
    await store.write(task('a'), undefined);
    const [file = ''] = await files(name);
    await store.write(task('b'), undefined);
    await writeFile(join(folder, name, file), text);
    expect((await store.list()).map((stored) => stored.task.taskId)).toEqual(['b']);
    expect(await store.get('a')).toBeUndefined();
    expect(await store.write(task('a', { rounds: 2 }), undefined)).toBe(true);
    expect((await store.get('a'))?.task.rounds).toBe(2);
    // Kept for whoever wants to know.
    expect((await files(name)).filter((each) => each.endsWith('.corrupt'))).toHaveLength(1);
  });

  test('a record of another task under this name is not taken for it', async () => {
    const store = new FilePendingStore(join(folder, 'swapped'));
    await store.write(task('a'), undefined);
    const [file = ''] = await files('swapped');
    await writeFile(join(folder, 'swapped', file), JSON.stringify({ id: 'x', ancestors: [], task: task('b') }));
    expect(await store.get('a')).toBeUndefined();
  });

  test('what is done goes after a week, what waits after 60 days, what a dead process left aside after a day', async () => {
    const store = new FilePendingStore(join(folder, 'old'));
    await store.write(task('waits-new', { savedAtMs: NOW - 60 * DAY + 1 }), undefined);
    await store.write(task('waits-old', { savedAtMs: NOW - 60 * DAY - 1 }), undefined);
    await store.write(task('done-old', { state: 'done', savedAtMs: NOW - 7 * DAY - 1 }), undefined);
    await store.write(task('done-new', { state: 'done', savedAtMs: NOW - 7 * DAY + 1 }), undefined);
    const aside = join(folder, 'old', `.${'0'.repeat(40)}.11111111-1111-1111-1111-111111111111`);
    const fresh = join(folder, 'old', `.${'0'.repeat(40)}.22222222-2222-2222-2222-222222222222`);
    for (const path of [aside, fresh]) await writeFile(path, '{}');
    await utimes(aside, (NOW - DAY) / 1_000 - 1, (NOW - DAY) / 1_000 - 1);
    await utimes(fresh, NOW / 1_000 - 1, NOW / 1_000 - 1);
    await new FilePendingStore(join(folder, 'old')).write(task('new', { savedAtMs: NOW }), undefined);
    const ids = ['done-old', 'done-new', 'waits-old', 'waits-new', 'new'];
    const kept = await Promise.all(ids.map(async (id) => (await store.get(id)) !== undefined));
    expect(kept).toEqual([false, true, false, true, true]);
    expect((await files('old')).filter((name) => name.startsWith('.'))).toEqual([fresh.split('/').at(-1)]);
  });

  test('foreign files and folders in it are left alone', async () => {
    const store = new FilePendingStore(join(folder, 'foreign'));
    await store.write(task('a', { savedAtMs: NOW }), undefined);
    await writeFile(join(folder, 'foreign', 'notes.txt'), 'mine');
    await mkdir(join(folder, 'foreign', `${'a'.repeat(40)}.1.json`));
    expect((await store.list()).map((stored) => stored.task.taskId)).toEqual(['a']);
    expect(await files('foreign')).toContain('notes.txt');
  });

  test('folder and files are for their owner only', async () => {
    const store = new FilePendingStore(join(folder, 'rights'));
    await store.write(task('a'), undefined);
    const [file = ''] = await files('rights');
    expect((await stat(join(folder, 'rights'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'rights', file))).mode & 0o777).toBe(0o600);
  });

  test('a folder that cannot be written to is an error, not a lost race', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const write = new FilePendingStore(join(folder, 'a-file')).write(task('a'), undefined);
    await expect(write).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

test('DynamoDB: what is done goes after a week, what waits after 60 days, by the time to live of the table', async () => {
  const { documents: client, tableName } = dynamo;
  const store = new DynamoPendingStore({ client, tableName, scope: 'ttl' });
  await store.write(task('waits', { savedAtMs: 1_000_000 }), undefined);
  await store.write(task('over', { savedAtMs: 1_000_000, state: 'done' }), undefined);
  const ttlOf = async (sk: string) => {
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: { pk: 'ttl', sk } }));
    return Item?.ttl as unknown;
  };
  expect([await ttlOf('waits'), await ttlOf('over')]).toEqual([5_185_000, 605_800]);
});

test('DynamoDB: a client that keeps its middleware is refused, since it would send its first command again', () => {
  const { client, tableName } = dynamo;
  const given = client as unknown as LocalDynamo['documents'];
  expect(() => new DynamoPendingStore({ client: given, tableName })).toThrow(
    new TypeError('DynamoPendingStore needs a document client without cacheMiddleware'),
  );
});
