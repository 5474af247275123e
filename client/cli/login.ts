/**
 * Whose credentials go along. A token comes from the environment or a file and never from the command line, where the
 * shell's history and other users' process lists would have it. What is remembered is where it comes from.
 */
import { resolve } from 'node:path';
import { misused } from './failures.ts';
import { textIn } from './read-file.ts';

export type Login = { readonly bearerEnv: string } | { readonly bearerFile: string };

export interface LoginOptions {
  readonly bearerEnv?: string;
  readonly bearerFile?: string;
}

/** Undefined: none was asked for. */
export function loginOf({ bearerEnv, bearerFile }: LoginOptions): Login | undefined {
  if (bearerEnv !== undefined && bearerFile !== undefined)
    throw misused('--bearer-env and --bearer-file exclude each other');
  if (bearerEnv !== undefined) return { bearerEnv };
  return bearerFile === undefined ? undefined : { bearerFile: resolve(bearerFile) };
}

/** @throws CommandFailed when there is no token, or none that fits into a header */
export async function tokenOf(
  login: Login | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (!login) return undefined;
  const where = 'bearerEnv' in login ? `the variable ${login.bearerEnv}` : login.bearerFile;
  const token = ('bearerEnv' in login ? env[login.bearerEnv] : await textIn(login.bearerFile))?.trim();
  if (!token) throw misused(`no token in ${where}`, 'Set it, or give --bearer-env or --bearer-file anew.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw misused(`what ${where} holds is no token`);
  return token;
}
