/** The key for `writeOnly` answers: made once, kept in the data folder, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, UserError } from './user-error.ts';

const KEY_BYTES = 32;

/** Throws `UserError` when the file holds something else. */
export async function secretKey(folder: string): Promise<Buffer> {
  const path = join(folder, 'secret.key');
  const fresh = randomBytes(KEY_BYTES);
  try {
    await writeFile(path, `${fresh.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    return fresh;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new UserError(`${path} does not hold a key. Delete it to start with a new one; sealed answers are lost.`);
}
