/** `npm start` as a process of its own: what package.json runs, without npm in between, on a free port. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { root, text } from './tree.ts';

export class NpmStart {
  readonly #data = mkdtempSync(join(tmpdir(), 'askback-start-'));
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #port = 0;
  #process: ChildProcess | undefined;
  #printed = '';

  /** @param args after the `--`; port and data folder are given */
  constructor(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#args = args;
    this.#env = { ...process.env, ...env };
  }

  /** Where it listens, the same after a restart. */
  get host(): string {
    return `localhost:${this.#port}`;
  }

  get printed(): string {
    return this.#printed;
  }

  /** Resolves when the agent card is served. */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const { scripts } = JSON.parse(text('package.json')) as { scripts: { start: string } };
    const [, ...args] = scripts.start.split(' ');
    const options = ['--port', String(this.#port), '--data', this.#data, ...this.#args];
    const started = spawn(process.execPath, [...args, ...options], {
      cwd: root,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: unknown) => {
        this.#printed += String(chunk);
      });
    }
    await vi.waitUntil(async () => started.exitCode !== null || (await this.#answers()), {
      timeout: 30_000,
      interval: 100,
    });
    expect(started.exitCode, this.#printed).toBe(null);
  }

  /** What a command of the documents prints, which are written for port 3000. */
  async run(command: string): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-c', command.replaceAll('localhost:3000', this.host)], {
      cwd: root,
    });
    return stdout.trim();
  }

  /** Ends the process; the data stays. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#data, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`http://${this.host}/.well-known/agent-card.json`)).ok;
    } catch {
      return false;
    }
  }
}
