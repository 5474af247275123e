/** Removes from the folder of a pending store what nobody goes on with any more. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE, readWritten, textOf } from './pending-file-record.ts';

/** What a process left that died while it wrote, and what could not be read. */
const LEFT_OVER = /^\.[0-9a-f]{40}\.[0-9a-f-]{36}$|^[0-9a-f]{40}\.[0-9]{1,9}\.corrupt$/;

const DAY_MS = 86_400_000;
/** Twice as long as a question may be open. */
const KEPT_MS = 60 * DAY_MS;
/** A task that is over refuses answers itself: the record is for those who race its end. */
const DONE_MS = 7 * DAY_MS;
const ASIDE_MS = DAY_MS;
/** Looked at in one go, those first that were written longest ago: more go than come, and no write waits for it. */
const AT_ONCE = 100;

/** Never fails: what cannot be removed now is so later. @param nowMs by the clock of whoever writes */
export async function tidyFolder(folder: string, nowMs: number): Promise<void> {
  try {
    const names = (await readdir(folder)).filter((name) => FILE.test(name) || LEFT_OVER.test(name));
    const files = await Promise.all(names.map((name) => fileAt(folder, name)));
    const oldest = files.filter((file) => file !== undefined).sort((a, b) => a.changedMs - b.changedMs);
    await Promise.all(
      oldest.slice(0, AT_ONCE).map(async (file) => {
        if (await isOld(file, nowMs)) await rm(file.path, { force: true, recursive: true });
      }),
    );
  } catch {
    // See above.
  }
}

interface Found {
  readonly name: string;
  readonly path: string;
  readonly changedMs: number;
}

async function fileAt(folder: string, name: string): Promise<Found | undefined> {
  const path = join(folder, name);
  return stat(path).then(
    ({ mtimeMs }) => ({ name, path, changedMs: mtimeMs }),
    () => undefined,
  );
}

async function isOld({ name, path, changedMs }: Found, nowMs: number): Promise<boolean> {
  const [, task] = name.match(FILE) ?? [];
  if (task === undefined) return nowMs - changedMs > (name.endsWith('.corrupt') ? KEPT_MS : ASIDE_MS);
  const written = readWritten((await textOf(path)) ?? '', task);
  if (!written) return false;
  const { state, savedAtMs } = written.task;
  return nowMs - savedAtMs > (state === 'done' ? DONE_MS : KEPT_MS);
}
