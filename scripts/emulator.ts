/**
 * MiniStack, an emulator of AWS, from the Python registry into a virtual environment of its own, on loopback and a free
 * port. Everything it starts ends with `stop`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Emulator {
  readonly endpoint: string;
  /** Ends the emulator and the functions it runs. */
  stop(): Promise<void>;
}

/** Why there can be no emulator here; not a failure of what is verified. */
export class NoEmulator extends Error {}

const PYTHONS = ['python3', 'python'];
const START_MS = 60_000;

/** @throws NoEmulator when Python 3.10, its venv or the package cannot be had */
export async function startEmulator(place: string): Promise<Emulator> {
  const python = install(place);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    PERSIST_STATE: '0',
  };
  // A process group of its own, because the processes of its functions do not end with it.
  const child = spawn(python, ['-m', 'ministack'], {
    cwd: place,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(place, 'emulator.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // Whoever is interrupted has no time to wait for it.
  const kill = () => endGroup(child.pid, 'SIGKILL');
  process.prependOnceListener('exit', kill);
  const stop = async () => {
    endGroup(child.pid, 'SIGTERM');
    await Promise.race([ended, pause(5_000)]);
    kill();
    await ended;
    process.off('exit', kill);
  };
  const endsAt = Date.now() + START_MS;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || Date.now() > endsAt) {
      await stop();
      throw new NoEmulator('MiniStack did not start');
    }
    await pause(200);
  }
  return { endpoint, stop };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The Python of a virtual environment with MiniStack in it. */
function install(place: string): string {
  const found = PYTHONS.find(
    (name) => spawnSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']).status === 0,
  );
  if (found === undefined) throw new NoEmulator('there is no Python 3.10 or newer with venv');
  const venv = join(place, 'venv');
  const python = join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (spawnSync(found, ['-m', 'venv', venv]).status !== 0)
    throw new NoEmulator('the virtual environment could not be made');
  const options = ['--quiet', '--disable-pip-version-check', '--timeout', '20', '--retries', '1'];
  const pip = spawnSync(python, ['-m', 'pip', 'install', ...options, 'ministack'], { encoding: 'utf8' });
  if (pip.status !== 0) {
    const why = pip.stderr.trim().split('\n').at(-1) ?? '';
    throw new NoEmulator(`the package ministack could not be installed from the Python registry (${why})`);
  }
  return python;
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_ministack/health`)).status < 500;
  } catch {
    return false;
  }
}

/** Ends the processes of a group that was started `detached`. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
