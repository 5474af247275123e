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
import { link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE, nameOf, readWritten, textOf, unlessMissing, type Written } from './pending-file-record.ts';
import { tidyFolder } from './pending-file-tidy.ts';
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
    const versions = new Map<string, number>();
    for (const { name, version } of await this.#files()) versions.set(name, Math.max(version, versions.get(name) ?? 0));
    const found = await Promise.all([...versions].map(([name, version]) => this.#newest(name, version)));
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
    if (won && version === 1) await tidyFolder(this.#folder, task.savedAtMs);
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

  /**
   * The file may be replaced between the look into the folder and the read: then a newer one is there.
   * @param seen the newest version in the folder, where that is known
   */
  async #newest(name: string, seen?: number): Promise<(Written & { version: number }) | undefined> {
    for (let known = seen; ; known = undefined) {
      const version = known ?? Math.max(0, ...(await this.#files(name)).map((file) => file.version));
      if (version === 0) return undefined;
      const path = this.#path(name, version);
      const text = await textOf(path);
      if (text === undefined) continue;
      const written = readWritten(text, name);
      if (written) return { ...written, version };
      await unlessMissing(rename(path, path.replace(/json$/, 'corrupt')));
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
