/** Caller, orchestrator and sub-agent, each in a process of its own that can be killed and started again in its place. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileLedger, type LedgerEntry } from '../../../examples/expense-agent/ledger.ts';
import type { Message, Task } from '../../../core/message.ts';
import { freePort } from '../../support/free-port.ts';
import { type ServerProcess, startServer } from '../../../local/server-process.ts';

const CALLER = fileURLToPath(new URL('./caller-process.ts', import.meta.url));
const FINANCE = fileURLToPath(new URL('../../../examples/finance-assistant/agent.ts', import.meta.url));

export class ThreeProcesses {
  readonly #folder: string;
  readonly #ports: { readonly finance: number; readonly expenses: number };
  #servers: { finance?: ServerProcess; expenses?: ServerProcess } = {};
  #callers: ChildProcess[] = [];

  private constructor(folder: string, ports: { readonly finance: number; readonly expenses: number }) {
    this.#folder = folder;
    this.#ports = ports;
  }

  /** Nothing runs yet. */
  static async make(): Promise<ThreeProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'askback-three-'));
    return new ThreeProcesses(folder, { finance: await freePort(), expenses: await freePort() });
  }

  url(which: 'finance' | 'expenses'): string {
    return `http://localhost:${this.#ports[which]}`;
  }

  data(which: 'finance' | 'expenses'): string {
    return join(this.#folder, which);
  }

  port(which: 'finance' | 'expenses'): number {
    return this.#ports[which];
  }

  async start(...which: readonly ('finance' | 'expenses')[]): Promise<void> {
    for (const one of which) {
      const more =
        one === 'finance' ? { args: ['--agent', FINANCE], env: { EXPENSE_AGENT_URL: this.url('expenses') } } : {};
      this.#servers[one] = await startServer(this.data(one), this.#ports[one], more);
    }
  }

  async kill(which: 'finance' | 'expenses'): Promise<void> {
    await this.#servers[which]?.kill();
    delete this.#servers[which];
  }

  /** What the process that runs now has printed, its log included. */
  printed(which: 'finance' | 'expenses'): string {
    return this.#servers[which]?.printed() ?? '';
  }

  /** The caller's process: its task, or undefined when it was killed after `killAfterMs`. */
  async call(message: Message, killAfterMs?: number): Promise<Task | undefined> {
    const args = [
      '--conditions=askback-source',
      '--import',
      'tsx',
      CALLER,
      this.url('finance'),
      JSON.stringify(message),
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#callers.push(child);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
    const ended = once(child, 'close');
    if (killAfterMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      child.kill('SIGKILL');
    }
    await ended;
    return printed === '' ? undefined : (JSON.parse(printed) as Task);
  }

  ledger(): Promise<readonly LedgerEntry[]> {
    return fileLedger(join(this.data('expenses'), 'ledger')).entries();
  }

  async stop(): Promise<void> {
    for (const caller of this.#callers) caller.kill('SIGKILL');
    await this.kill('finance');
    await this.kill('expenses');
    await rm(this.#folder, { recursive: true, force: true });
  }
}
