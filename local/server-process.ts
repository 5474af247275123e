/** `local/start.ts` as a child process: for the demo and for tests that kill it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  /** What it has printed so far, its log included. */
  printed(): string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Asks it to end, and tells its exit code. */
  stop(): Promise<number | null>;
}

const START = fileURLToPath(new URL('./start.ts', import.meta.url));
const READY = /^Askback is ready on (\S+)$/m;
/** Well above the 10 seconds of `npm start`: the machine may be busy with other things. */
const READY_WITHIN_MS = 30_000;

/** Further options of `npm start`, and variables for the agent. */
export interface More {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves once it says that it is ready. Throws what it printed when it ends before, or takes too long. */
export async function startServer(data: string, port = 0, more: More = {}): Promise<ServerProcess> {
  const child = spawnStart(['--data', data, '--port', String(port), ...(more.args ?? [])], more.env);
  const ended = once(child, 'close');
  let all = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      all += chunk;
    });
  }
  const url = await readyUrl(child, () => all);
  return {
    url,
    printed: () => all,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

/** Starts the program with these arguments; its output is piped. */
export function spawnStart(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, ['--conditions=askback-source', '--import', 'tsx', START, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
}

function readyUrl(child: ChildProcess, printed: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server was not ready within ${READY_WITHIN_MS} ms:\n${printed()}`));
    }, READY_WITHIN_MS);
    const onOutput = () => {
      const url = READY.exec(printed())?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.once('close', () => {
      clearTimeout(late);
      reject(new Error(`the server ended:\n${printed()}`));
    });
  });
}
