/**
 * Where filed expenses end up. The agent sees only `Ledger`; this file-backed one is for the local runtime and shows
 * what any ledger behind an agent must do: the same idempotency key files once, whoever asks and however often.
 *
 * One file per entry, and the file's name is its number. An entry is written to a temporary file and then linked to
 * its name, which succeeds for exactly one writer. Whoever takes number n has read all entries before it, so two
 * writers of one key cannot both succeed: no lock, safe across processes, and a draft that a kill -9 left is never read.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface Expense {
  readonly amount: number;
  readonly currency: string;
  readonly date: string;
  readonly vendor: string;
  readonly costCentre: string;
  /** Who filed it. */
  readonly filedBy: string;
}

export interface LedgerEntry extends Expense {
  readonly id: string;
  readonly idempotencyKey: string;
}

export interface Ledger {
  /** Files an expense, or returns the entry that this key filed before; what was filed first stays. */
  file(expense: Expense, idempotencyKey: string): Promise<LedgerEntry>;
}

export interface FileLedger extends Ledger {
  /** All entries in the order of filing. */
  entries(): Promise<readonly LedgerEntry[]>;
}

/** A ledger in a folder, which is made when the first expense is filed. */
export function fileLedger(folder: string): FileLedger {
  // Entries never change, so what was read once need not be read again.
  const known: LedgerEntry[] = [];

  async function entries(): Promise<readonly LedgerEntry[]> {
    for (;;) {
      const number = known.length + 1;
      const entry = await readEntry(join(folder, fileName(number)));
      if (entry === undefined) return known;
      // A concurrent reader of this process may have been faster.
      if (known.length === number - 1) known.push(entry);
    }
  }

  async function file(expense: Expense, idempotencyKey: string): Promise<LedgerEntry> {
    for (;;) {
      const read = await entries();
      const filed = read.find((entry) => entry.idempotencyKey === idempotencyKey);
      if (filed) return filed;
      const number = read.length + 1;
      const entry: LedgerEntry = { id: expenseId(number), idempotencyKey, ...expense };
      if (await putEntry(folder, fileName(number), entry)) return entry;
    }
  }

  return { entries, file };
}

function expenseId(number: number): string {
  return `EXP-${String(number).padStart(6, '0')}`;
}

function fileName(number: number): string {
  return `${expenseId(number)}.json`;
}

async function readEntry(path: string): Promise<LedgerEntry | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LedgerEntry;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** False when the name is taken. The entry is on disk, whole, before its name exists. */
async function putEntry(folder: string, name: string, entry: LedgerEntry): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.draft-${randomUUID()}`);
  const handle = await open(draft, 'wx');
  try {
    await handle.writeFile(`${JSON.stringify(entry, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, join(folder, name));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
