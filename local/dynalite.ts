/**
 * The table without AWS: dynalite, embedded in this process, its data in a folder, reached by the same DynamoDB code
 * over a loopback port of its own. LevelDB's log survives a kill -9 and its lock admits one process to a folder.
 */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
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

/** Opens the table in `folder` and makes it if it is missing. Throws `UserError` when the folder cannot be used. */
export async function startDynalite(folder: string, tableName: string): Promise<LocalTable> {
  const path = join(folder, 'db');
  const marker = join(folder, 'not-stopped');
  await checkDatabase(path, folder);
  const server = dynalite({ path, createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
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
    },
  };
}

/** dynalite would end the process over a database that does not open, so it is opened once before. */
async function checkDatabase(path: string, folder: string): Promise<void> {
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
    const code = errorCode(error);
    if (code === 'LEVEL_LOCKED') throw new UserError(`The data folder ${folder} is in use by another Askback process.`);
    const reason = error instanceof Error ? messageOf(error) : String(error);
    throw new UserError(`The data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
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
