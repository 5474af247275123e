/** dynalite in a process of its own, so that its work is not counted as anybody's; everything in memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startDynalite } from '../test/support/dynalite.ts';

export interface Place {
  readonly endpoint: string;
  readonly tableName: string;
}

const THIS = fileURLToPath(import.meta.url);
const TABLE = 'bench';

/** Starts it and waits until the table is there. */
export async function dynaliteProcess(): Promise<Place & { stop(): Promise<void> }> {
  const child = fork(THIS, [], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [endpoint] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('dynalite did not start'))),
  ]);
  return {
    endpoint: String(endpoint),
    tableName: TABLE,
    async stop() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

if (process.argv[1] === THIS) {
  const { endpoint } = await startDynalite({ tableName: TABLE });
  process.send?.(endpoint);
  process.once('disconnect', () => process.exit(0));
}
