import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attr, HEAD_SK, index } from '../../aws/table-keys.ts';
import { type LocalTable, startDynalite } from '../../local/dynalite.ts';
import { type DynamoCall, dynamoCall } from '../../local/repair-indexes.ts';

const TableName = 'askback-test';
let folder: string;
let table: LocalTable | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-dynalite-'));
});
afterEach(async () => {
  await table?.stop();
  table = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function open() {
  table = await startDynalite(folder, TableName);
  return dynamoCall(table.endpoint);
}

const head = (id: string, due = 7) => ({
  [attr.pk]: { S: `T#${id}` },
  [attr.sk]: { S: HEAD_SK },
  [attr.dueShard]: { S: 'due#0' },
  [attr.due]: { N: String(due) },
});

async function due(call: DynamoCall): Promise<unknown> {
  const { Items } = await call('Query', {
    TableName,
    IndexName: index.due,
    KeyConditionExpression: '#s = :s',
    ExpressionAttributeNames: { '#s': attr.dueShard },
    ExpressionAttributeValues: { ':s': { S: 'due#0' } },
  });
  return (Items as Record<string, { S: string }>[]).map((item) => item[attr.pk]?.S);
}

test('the table is made when it is missing and kept when it is there', async () => {
  const call = await open();
  await call('PutItem', { TableName, Item: head('a') });
  await table?.stop();
  const again = await open();
  expect(await due(again)).toEqual(['T#a']);
});

test('a second process on the same folder gets one clear line', async () => {
  await open();
  await expect(startDynalite(folder, TableName)).rejects.toThrow(
    `The data folder ${folder} is in use by another Askback process (pid ${process.pid}). Stop it, or start beside it: npm start -- --data other-folder --port 3010`,
  );
});

test('a folder that cannot be used is told with the reason', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(startDynalite(file, TableName)).rejects.toThrow(/^The data folder .*file cannot be used: .*ENOTDIR/);
});

test('what was written before a kill -9 is there afterwards', { timeout: 30_000 }, async () => {
  const program = new URL('./dynalite-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let written = '';
  child.stdout.on('data', (chunk) => (written += chunk));
  while (!written.includes('20\n')) await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const confirmed = written
    .trim()
    .split('\n')
    .map((n) => `T#${n}`);
  expect(await due(await open())).toEqual(expect.arrayContaining(confirmed));
});

test('an index entry that a kill in mid-write took is put back at the next start, and only then', async () => {
  const call = await open();
  await call('PutItem', { TableName, Item: head('a') });
  await call('PutItem', { TableName, Item: head('b', 8) });
  await table?.stop();
  await losesIndexEntries();
  expect(await due(await open())).toEqual([]);
  await table?.stop();
  await writeFile(join(folder, `not-stopped-${TableName}`), '');
  expect(await due(await open())).toEqual(['T#a', 'T#b']);
});

test("is put back though another agent's table was opened and stopped well in between", async () => {
  const call = await open();
  await call('PutItem', { TableName, Item: head('a') });
  await call('PutItem', { TableName, Item: head('b', 8) });
  await table?.stop();
  await losesIndexEntries();
  await writeFile(join(folder, `not-stopped-${TableName}`), '');
  table = await startDynalite(folder, 'askback-other');
  await table.stop();
  expect(await due(await open())).toEqual(['T#a', 'T#b']);
});

/** What dynalite's database looks like when it died between taking index entries out and putting new ones in. */
async function losesIndexEntries(): Promise<void> {
  const require = createRequire(createRequire(import.meta.url).resolve('dynalite'));
  const { Level } = require('level');
  const database = new Level(join(folder, 'db'));
  await database.open();
  const keys: string[] = await database.keys().all();
  const lost = keys.filter((key) => key.startsWith(`index-global~${TableName}~${index.due}`));
  expect(lost).toHaveLength(2);
  await database.batch(lost.map((key) => ({ type: 'del', key })));
  await database.close();
}
