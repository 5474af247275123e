/** `@a2a-js/sdk` on its own `DatabaseTaskStore`, over SQLite. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { a2aJsOn } from './a2a-js.ts';
import type { Contender } from './contender.ts';

const require = createRequire(import.meta.url);

/** `better-sqlite3` has no types of its own. */
type OpenDatabase = new (file: string) => SqliteDatabase & { pragma(statement: string): unknown };

/**
 * A file with a write-ahead log, the table as the SDK's own program makes it.
 * @throws when `better-sqlite3` has no binary here
 */
export async function a2aJsOnSqlite(): Promise<Contender> {
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
    rounds: 1,
    async stop() {
      await db.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
