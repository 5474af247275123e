/** Files that are named on the command line. */
import { readFile } from 'node:fs/promises';
import { misused } from './failures.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

/**
 * @param what the file is for, as in `the policy`
 * @throws CommandFailed when it cannot be read
 */
export async function bytesOf(path: string, what = ''): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw misused(`${what === '' ? '' : `${what} `}${path} cannot be read: ${WHY[code] ?? message}`);
  }
}

/** @throws CommandFailed when it cannot be read */
export async function textIn(path: string, what?: string): Promise<string> {
  return (await bytesOf(path, what)).toString('utf8');
}
