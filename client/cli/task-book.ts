/**
 * Which agent a task belongs to, so that later commands need its id only: one small file for each task in the state
 * folder. It holds addresses and the names of variables or files with credentials, never a credential or an answer.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Login } from './login.ts';

export interface KnownTask {
  readonly taskId: string;
  readonly url: string;
  /** As the agent names itself. */
  readonly agent: string;
  readonly login?: Login;
  /** The first line of the request, to know one task from another. */
  readonly request?: string;
  /** RFC 3339: when it was last used; what is older than 60 days goes. */
  readonly usedAt: string;
}

/** As many characters of an id name a task, if no other begins with them. */
export const ID_CHARS = 6;

const KEPT_MS = 60 * 24 * 3_600_000;

/** `ASKBACK_STATE_DIR`, or `askback` in the folder that the XDG base directories or the home folder give. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, homeFolder: string): string {
  if (env.ASKBACK_STATE_DIR) return env.ASKBACK_STATE_DIR;
  return join(env.XDG_STATE_HOME || join(homeFolder, '.local', 'state'), 'askback');
}

export class TaskBook {
  readonly #folder: string;

  /** @param folder the state folder */
  constructor(folder: string) {
    this.#folder = join(folder, 'tasks');
  }

  /** What was known of its request stays. */
  async remember(task: KnownTask): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(task.taskId, task.url);
    const before = await readFile(path, 'utf8').then(parsed, () => undefined);
    const request = before?.request === undefined ? {} : { request: before.request };
    const draft = `${path}.${randomUUID()}.draft`;
    await writeFile(draft, `${JSON.stringify({ ...request, ...task })}\n`, { mode: 0o600 });
    await rename(draft, path);
  }

  /** The tasks whose id is `id` or begins with it (at least `ID_CHARS` characters); a full id wins. */
  async find(id: string): Promise<readonly KnownTask[]> {
    const all = await this.all();
    const exact = all.filter(({ taskId }) => taskId === id);
    if (exact.length > 0) return exact;
    return id.length < ID_CHARS ? [] : all.filter(({ taskId }) => taskId.startsWith(id));
  }

  async all(): Promise<readonly KnownTask[]> {
    const names = await readdir(this.#folder).catch(ifMissing([] as string[]));
    const read = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFile(join(this.#folder, name), 'utf8').then(parsed, () => undefined)),
    );
    return read.filter((task) => task !== undefined);
  }

  /** @param nowMs what was not used for 60 days before is forgotten */
  async tidy(nowMs: number): Promise<void> {
    const old = (await this.all()).filter(({ usedAt }) => !(nowMs - Date.parse(usedAt) < KEPT_MS));
    await Promise.all(old.map(({ taskId, url }) => rm(this.#path(taskId, url), { force: true })));
  }

  /** Ids are the agent's and addresses the user's: neither becomes a file's name as it stands. */
  #path(taskId: string, url: string): string {
    return join(this.#folder, `${createHash('sha256').update(`${url}\n${taskId}`).digest('hex').slice(0, 32)}.json`);
  }
}

function parsed(text: string): KnownTask | undefined {
  try {
    const task = JSON.parse(text) as Partial<KnownTask> | null;
    const whole = [task?.taskId, task?.url, task?.agent, task?.usedAt].every((value) => typeof value === 'string');
    return whole ? (task as KnownTask) : undefined;
  } catch {
    return undefined;
  }
}

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
