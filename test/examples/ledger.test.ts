import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Expense, fileLedger } from '../../examples/expense-agent/ledger.ts';

const taxi: Expense = {
  amount: 42,
  currency: 'EUR',
  date: '2026-11-24',
  vendor: 'taxi',
  costCentre: 'CC-4410',
  filedBy: 'alice',
};

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'askback-ledger-')), 'ledger');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

test('expenses are numbered in the order of filing', async () => {
  const ledger = fileLedger(folder);
  expect((await ledger.file(taxi, 'a')).id).toBe('EXP-000001');
  expect((await ledger.file(taxi, 'b')).id).toBe('EXP-000002');
  expect((await ledger.entries()).map(({ id, idempotencyKey }) => [id, idempotencyKey])).toEqual([
    ['EXP-000001', 'a'],
    ['EXP-000002', 'b'],
  ]);
});

test('the same key files once: what was filed first stays', async () => {
  const ledger = fileLedger(folder);
  await ledger.file(taxi, 'a');
  const again = await fileLedger(folder).file({ ...taxi, costCentre: 'CC-4420' }, 'a');
  expect(again).toEqual({ id: 'EXP-000001', idempotencyKey: 'a', ...taxi });
  expect(await ledger.entries()).toHaveLength(1);
});

test('the same key at the same instant makes one entry, also from separate ledgers', async () => {
  const first = fileLedger(folder);
  const second = fileLedger(folder);
  const filed = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).file(taxi, `key-${n % 4}`)),
  );
  expect(new Set(filed.map(({ id }) => id)).size).toBe(4);
  expect(await fileLedger(folder).entries()).toHaveLength(4);
});

test('what a writer left that died before its entry had a name does not count', async () => {
  const ledger = fileLedger(folder);
  await ledger.file(taxi, 'a');
  await writeFile(join(folder, '.draft-left-behind'), '{"id":"EXP-0000');
  expect((await fileLedger(folder).file(taxi, 'b')).id).toBe('EXP-000002');
  expect(await fileLedger(folder).entries()).toHaveLength(2);
});

test('several processes: every key once, and none is lost or torn when one is killed', {
  timeout: 30_000,
}, async () => {
  // Listened to from the start: a survivor may be done before the victim begins.
  const survivors = ['p1', 'p2'].map((name) => output(writer(name, 15)));
  const victim = writer('victim', 1000);
  await once(victim.stdout as NodeJS.EventEmitter, 'data');
  victim.kill('SIGKILL');
  const printed = await Promise.all(survivors);
  const entries = await fileLedger(folder).entries();
  const byKey = new Map(entries.map(({ idempotencyKey, id }) => [idempotencyKey, id]));
  expect(byKey.size).toBe(entries.length);
  expect(entries.map(({ id }) => id)).toEqual(
    (await readdir(folder))
      .filter((name) => name.startsWith('EXP-'))
      .sort()
      .map((name) => name.slice(0, 10)),
  );
  for (const [index, name] of ['p1', 'p2'].entries()) {
    const expected = Array.from({ length: 15 }, (_, n) => [
      byKey.get(`${name}-${n + 1}`),
      byKey.get(`shared-${n + 1}`),
    ]);
    expect(printed[index]).toEqual(expected.flat());
  }
});

function writer(name: string, count: number): ChildProcess {
  const program = new URL('./ledger-writer.ts', import.meta.url).pathname;
  return spawn(process.execPath, ['--import', 'tsx', program, folder, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function output(child: ChildProcess): Promise<unknown> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await once(child, 'close');
  return JSON.parse(text.trim().split('\n').at(-1) ?? '');
}
