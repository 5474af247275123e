/**
 * A pending store in a folder: one file for each task, safe for several processes on one machine. Nothing is locked,
 * so nothing stays locked when a process dies.
 *
 * A record's file is named for its task and its version. The next version is written aside and linked into its name,
 * which fails if somebody has done so before; then older versions are removed. Who comes with an old version after
 * they are gone could link that name again: the newest file says whose it was. What can no longer be read is put aside
 * as `.corrupt`: the task counts as unknown then. Old records go when new ones come.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOf, readWritten, type Written } from './pending-file-record.ts';
import type { PendingStore, PendingTask, StoredTask } from './pending-store.ts';

export class FilePendingStore implements PendingStore {
  readonly #folder: string;

  /** @param folder made, for its owner only, at the first write; questions of agents are kept in it */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    const found = await this.#newest(nameOf(taskId));
    return found && { task: found.task, version: found.version };
  }

  async list(): Promise<readonly StoredTask[]> {
    const names = new Set((await this.#files()).map(({ name }) => name));
    const found = await Promise.all([...names].map((name) => this.#newest(name)));
    return found
      .filter((each) => each !== undefined)
      .filter(({ task }) => task.state !== 'done')
      .map(({ task, version }) => ({ task, version }))
      .sort((a, b) => a.task.savedAtMs - b.task.savedAtMs);
  }

  async write(task: PendingTask, expected: number | undefined): Promise<boolean> {
    const name = nameOf(task.taskId);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const before = await this.#newest(name);
    if (before?.version !== expected) return false;
    const version = (expected ?? 0) + 1;
    const id = randomUUID();
    const ancestors = before ? [before.id, ...before.ancestors].slice(0, ANCESTORS) : [];
    const aside = join(this.#folder, `.${name}.${id}`);
    try {
      await writeAll(aside, JSON.stringify({ id, ancestors, task } satisfies Written));
      if (!(await linked(aside, this.#path(name, version)))) return false;
    } finally {
      await rm(aside, { force: true });
    }
    const won = await this.#won(name, version, id);
    if (won && version === 1) await this.#tidy(task.savedAtMs).catch(() => {});
    return won;
  }

  /** Removes what this write replaced, or finds that it came too late and removes itself. */
  async #won(name: string, version: number, id: string): Promise<boolean> {
    const newest = await this.#newest(name);
    const won = newest !== undefined && (newest.id === id || newest.ancestors.includes(id));
    const superseded = (await this.#files(name)).filter((file) => file.version < (newest?.version ?? version));
    await Promise.all(superseded.map((file) => rm(this.#path(name, file.version), { force: true })));
    return won;
  }

  /** The file may be replaced between the look into the folder and the read: then a newer one is there. */
  async #newest(name: string): Promise<(Written & { version: number }) | undefined> {
    for (;;) {
      const version = Math.max(0, ...(await this.#files(name)).map((file) => file.version));
      if (version === 0) return undefined;
      const path = this.#path(name, version);
      const text = await unlessMissing(readFile(path, 'utf8').catch(ifFolder));
      if (text === undefined) continue;
      const written = readWritten(text, name);
      if (written) return { ...written, version };
      await unlessMissing(rename(path, path.replace(/json$/, 'corrupt')));
    }
  }

  /** Never fails a write. @param nowMs by the clock of whoever writes */
  async #tidy(nowMs: number): Promise<void> {
    for (const file of (await unlessMissing(readdir(this.#folder))) ?? []) {
      const path = join(this.#folder, file);
      const [, name] = file.match(FILE) ?? [];
      if (name !== undefined) {
        const written = readWritten((await unlessMissing(readFile(path, 'utf8'))) ?? '', name);
        if (written && nowMs - written.task.savedAtMs > (written.task.state === 'done' ? DONE_MS : KEPT_MS)) {
          await rm(path, { force: true });
        }
      } else if (LEFT_OVER.test(file)) {
        const found = await unlessMissing(stat(path));
        if (found && nowMs - found.mtimeMs > (file.endsWith('.corrupt') ? KEPT_MS : ASIDE_MS)) {
          await rm(path, { force: true, recursive: true });
        }
      }
    }
  }

  async #files(name?: string): Promise<{ name: string; version: number }[]> {
    const all = (await unlessMissing(readdir(this.#folder))) ?? [];
    return all.flatMap((file) => {
      const [, of, version] = file.match(FILE) ?? [];
      return of !== undefined && (name === undefined || of === name) ? [{ name: of, version: Number(version) }] : [];
    });
  }

  #path(name: string, version: number): string {
    return join(this.#folder, `${name}.${version}.json`);
  }
}

/** More writes than this do not fall between one process's link and its look at what came of it. */
const ANCESTORS = 16;
const FILE = /^([0-9a-f]{40})\.([0-9]{1,9})\.json$/;
/** What a process left that died while it wrote, and what could not be read. */
const LEFT_OVER = /^\.[0-9a-f]{40}\.[0-9a-f-]{36}$|^[0-9a-f]{40}\.[0-9]{1,9}\.corrupt$/;

const DAY_MS = 86_400_000;
/** Twice as long as a question may be open. */
const KEPT_MS = 60 * DAY_MS;
/** A task that is over refuses answers itself: the record is for those who race its end. */
const DONE_MS = 7 * DAY_MS;
const ASIDE_MS = DAY_MS;

/** Complete and on the disk before it gets its name. */
async function writeAll(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A folder by the name of a record is as little of one as a file that is spoilt. */
function ifFolder(error: NodeJS.ErrnoException): string {
  if (error.code === 'EISDIR') return '';
  throw error;
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
