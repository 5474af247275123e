/** What `@a2a-js/sdk` keeps tasks in besides its own memory: its database store, and the plain store one would write. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Task } from '@a2a-js/sdk';
import type { TaskStore } from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { localClient, localDocuments } from '../test/support/dynalite.ts';
import { a2aJsOn } from './a2a-js.ts';
import type { Contender } from './contender.ts';
import type { Place } from './dynalite-process.ts';

const require = createRequire(import.meta.url);

const TASK_SK = 'TASK';

/** `better-sqlite3` has no types of its own. */
type OpenDatabase = new (file: string) => SqliteDatabase & { pragma(statement: string): unknown };

/**
 * Its `DatabaseTaskStore` on a SQLite file with a write-ahead log, the table as its own program makes it.
 * @throws when `better-sqlite3` has no binary here
 */
export async function a2aJsOnSqlite(rounds = 1): Promise<Contender> {
  const Database = require('better-sqlite3') as OpenDatabase;
  new Database(':memory:').close();
  const folder = await mkdtemp(join(tmpdir(), 'askback-bench-'));
  const file = join(folder, 'tasks.db');
  const program = join(dirname(require.resolve('@a2a-js/sdk')), 'cli', 'a2a_db.js');
  await promisify(execFile)(process.execPath, [program, 'upgrade', '--url', `sqlite:${file}`]);
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  return a2aJsOn({
    store: new DatabaseTaskStore(db),
    rounds,
    async stop() {
      await db.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** One item for a task, loaded whole and put whole, by the document client. */
export function a2aJsOnDynamo({ endpoint, tableName: TableName }: Place, rounds = 1): Contender {
  const client = localDocuments(endpoint);
  const store = storeOf({
    async get(pk) {
      const { Item } = await client.send(new GetCommand({ TableName, Key: { pk, sk: TASK_SK }, ConsistentRead: true }));
      return Item?.json as string | undefined;
    },
    async put(pk, json) {
      await client.send(new PutCommand({ TableName, Item: { pk, sk: TASK_SK, json } }));
    },
  });
  return a2aJsOn({ store, rounds, stop: async () => client.destroy() });
}

/** The same by the client that ours uses, with its settings. */
export function a2aJsOnPlainDynamo({ endpoint, tableName: TableName }: Place, rounds = 1): Contender {
  const client = localClient(endpoint);
  const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: TASK_SK } });
  const store = storeOf({
    async get(pk) {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: keyOf(pk), ConsistentRead: true }));
      return Item?.json?.S;
    },
    async put(pk, json) {
      await client.send(new PutItemCommand({ TableName, Item: { ...keyOf(pk), json: { S: json } } }));
    },
  });
  return a2aJsOn({ store, rounds, stop: async () => client.destroy() });
}

interface Texts {
  get(pk: string): Promise<string | undefined>;
  put(pk: string, json: string): Promise<void>;
}

function storeOf({ get, put }: Texts): TaskStore {
  const pkOf = (taskId: string) => `A2A#${taskId}`;
  return {
    async load(taskId) {
      const json = await get(pkOf(taskId));
      return json === undefined ? undefined : Task.fromJSON(JSON.parse(json));
    },
    save: (task) => put(pkOf(task.id), JSON.stringify(Task.toJSON(task))),
    async list() {
      throw new Error('not in the bench');
    },
  };
}
