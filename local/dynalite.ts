/**
 * The table without AWS: dynalite, embedded in this process, its data in a folder, reached by the same DynamoDB code
 * over a loopback port of its own. LevelDB's log survives a kill -9 and its lock admits one process to a folder.
 */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import dynalite from 'dynalite';
import { dynamoClient } from '../aws/clients.ts';
import { createTable } from '../aws/create-table.ts';
import { tableDefinition } from '../aws/table-keys.ts';
import { repairIndexes } from './repair-indexes.ts';
import { errorCode, UserError } from './user-error.ts';

export interface LocalTable {
  readonly client: ReturnType<typeof dynamoClient>;
  readonly tableName: string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** dynalite names tables by region; it does not check who calls. */
const SETTINGS = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/**
 * Opens the table in `folder` and makes it if it is missing. Other tables of the folder stay as they are. Throws
 * `UserError` when the folder cannot be used.
 */
export async function startDynalite(folder: string, tableName: string): Promise<LocalTable> {
  const path = join(folder, 'db');
  const holder = join(folder, 'pid');
  // Of each table: one that did not stop well is repaired when it is opened next, whichever was opened in between.
  const marker = join(folder, `not-stopped-${tableName}`);
  await checkDatabase(path, folder, holder);
  const server = dynalite({ path, createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  await writeFile(holder, String(process.pid));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = dynamoClient({ ...SETTINGS, endpoint });
  await createTable(client, tableName);
  if (await exists(marker)) await repairIndexes(endpoint, tableDefinition(tableName));
  await writeFile(marker, '');
  return {
    client,
    tableName,
    endpoint,
    async stop() {
      client.destroy();
      await new Promise<void>((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
      await rm(marker, { force: true });
      await rm(holder, { force: true });
    },
  };
}

/** Throws `UserError`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** dynalite would end the process over a database that does not open, so it is opened once before. */
async function checkDatabase(path: string, folder: string, holder: string): Promise<void> {
  interface Level {
    open(): Promise<void>;
    close(): Promise<void>;
  }
  const require = createRequire(createRequire(import.meta.url).resolve('dynalite'));
  const { Level } = require('level') as { Level: new (path: string) => Level };
  try {
    await mkdir(path, { recursive: true });
    const database = new Level(path);
    await database.open();
    await database.close();
  } catch (error) {
    if (errorCode(error) === 'LEVEL_LOCKED') throw await inUse(folder, holder);
    throw unusable(folder, error);
  }
}

/** The process that holds the folder has written its id, unless it took the folder this very moment. */
async function inUse(folder: string, holder: string): Promise<UserError> {
  const pid = await readFile(holder, 'utf8').catch(() => '');
  const who = /^[0-9]+$/.test(pid) ? `another Askback process (pid ${pid})` : 'another Askback process';
  return new UserError(
    `The data folder ${folder} is in use by ${who}. Stop it, or start beside it: npm start -- --data other-folder --port 3010`,
  );
}

function unusable(folder: string, error: unknown): UserError {
  const reason = error instanceof Error ? messageOf(error) : String(error);
  return new UserError(`The data folder ${folder} cannot be used: ${reason}`, { cause: error });
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
