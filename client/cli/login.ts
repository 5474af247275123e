/**
 * Whose credentials go along. A token comes from the environment or a file and never from the command line, where the
 * shell's history and other users' process lists would have it. What is remembered is where it comes from. AWS keys come
 * from the environment alone.
 */
import { resolve } from 'node:path';
import { cleanLine } from '../../core/clean-text.ts';
import type { ConnectOptions } from '../connect.ts';
import { misused } from './failures.ts';
import { textIn } from './read-file.ts';
import type { World } from './world.ts';

export type Login =
  | { readonly bearerEnv: string }
  | { readonly bearerFile: string }
  /** Requests are signed with the AWS credentials of the environment, for an agent in this Region. */
  | { readonly awsRegion: string };

export interface LoginOptions {
  readonly bearerEnv?: string;
  readonly bearerFile?: string;
  readonly awsRegion?: string;
}

/** Undefined: none was asked for. */
export function loginOf({ bearerEnv, bearerFile, awsRegion }: LoginOptions): Login | undefined {
  const given = { '--bearer-env': bearerEnv, '--bearer-file': bearerFile, '--aws-region': awsRegion };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length > 1) throw misused(`${names.join(' and ')} exclude each other`);
  if (bearerEnv !== undefined) return { bearerEnv };
  if (bearerFile !== undefined) return { bearerFile: resolve(bearerFile) };
  if (awsRegion === undefined) return undefined;
  if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(awsRegion)) {
    throw misused(`${cleanLine(awsRegion)} is no Region of AWS`, 'As in --aws-region eu-west-1');
  }
  return { awsRegion };
}

const NO_KEYS = 'Set them. For a profile: eval "$(aws configure export-credentials --format env)"';

/**
 * What reaches the agent at `url` in the name of whoever is meant.
 * @throws CommandFailed when the credentials are not there
 */
export async function accessTo(url: string, login: Login | undefined, world: World): Promise<ConnectOptions> {
  if (!login || !('awsRegion' in login)) {
    const bearer = await tokenOf(login, world.env);
    return { fetch: world.fetch, ...(bearer === undefined ? {} : { bearer }) };
  }
  const missing = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].filter((name) => !world.env[name]);
  if (missing.length > 0) throw misused(`no AWS credentials: ${missing.join(' and ')} not set`, NO_KEYS);
  // A card may name any address, and with a signature a request has its sender's rights there.
  return { fetch: await world.awsFetch({ region: login.awsRegion, origins: [url], fetch: world.fetch }) };
}

/** @throws CommandFailed when there is no token, or none that fits into a header */
async function tokenOf(
  login: Exclude<Login, { awsRegion: string }> | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (!login) return undefined;
  const where = 'bearerEnv' in login ? `the variable ${login.bearerEnv}` : login.bearerFile;
  const token = ('bearerEnv' in login ? env[login.bearerEnv] : await textIn(login.bearerFile))?.trim();
  if (!token) throw misused(`no token in ${where}`, 'Set it, or give --bearer-env or --bearer-file anew.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw misused(`what ${where} holds is no token`);
  return token;
}
