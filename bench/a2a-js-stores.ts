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
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { localDocuments } from '../test/support/dynalite.ts';
import { a2aJsOn } from './a2a-js.ts';
import type { Contender } from './contender.ts';
import type { Place } from './dynalite-process.ts';

const require = createRequire(import.meta.url);

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

/** One item for a task, loaded whole and put whole. */
export function a2aJsOnDynamo({ endpoint, tableName }: Place, rounds = 1): Contender {
  const client = localDocuments(endpoint);
  const keyOf = (taskId: string) => ({ pk: `A2A#${taskId}`, sk: 'TASK' });
  const store: TaskStore = {
    async load(taskId) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: keyOf(taskId), ConsistentRead: true }),
      );
      return Item && Task.fromJSON(JSON.parse(String(Item.json)));
    },
    async save(task) {
      const Item = { ...keyOf(task.id), json: JSON.stringify(Task.toJSON(task)) };
      await client.send(new PutCommand({ TableName: tableName, Item }));
    },
    async list() {
      throw new Error('not in the bench');
    },
  };
  const stop = async () => client.destroy();
  return a2aJsOn({ store, rounds, stop });
}
