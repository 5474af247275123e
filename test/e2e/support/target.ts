/**
 * What the scenarios run against: the local runtime with the expense agent, or, with ASKBACK_E2E_URL, a deployed stack
 * that runs the same agent. Scenarios that need to set the clock, look into the ledger or kill the server say so with
 * `local`, and are skipped elsewhere.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import expenseAgent from '../../../examples/expense-agent/agent.ts';
import { fileLedger, type LedgerEntry } from '../../../examples/expense-agent/ledger.ts';
import { startRuntime } from '../../../local/runtime.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { ShiftedClock } from './shifted-clock.ts';

const DEPLOYED = process.env.ASKBACK_E2E_URL?.replace(/\/$/, '');

export const isLocal = DEPLOYED === undefined;

/** Whether responses stream; not where the gateway answers in one piece (ASKBACK_E2E_STREAMS=off). */
export const streams = process.env.ASKBACK_E2E_STREAMS !== 'off';

export type User = 'alice' | 'bob' | 'carol' | 'other-alice';

export interface Target {
  readonly url: string;
  /** The headers that say who calls. */
  as(user: User): Record<string, string>;
  /** Only where `isLocal`. */
  readonly local: LocalTarget;
  stop(): Promise<void>;
}

export interface LocalTarget {
  readonly clock: ShiftedClock;
  readonly log: QuietLog;
  ledger(): Promise<readonly LedgerEntry[]>;
}

export async function openTarget(): Promise<Target> {
  if (DEPLOYED !== undefined) {
    return {
      url: DEPLOYED,
      as: (user) => ({ Authorization: `Bearer ${process.env[`ASKBACK_E2E_TOKEN_${user.toUpperCase()}`] ?? ''}` }),
      get local(): never {
        throw new Error('this scenario needs the local runtime');
      },
      stop: async () => {},
    };
  }
  const data = await mkdtemp(join(tmpdir(), 'askback-e2e-'));
  const clock = new ShiftedClock();
  const log = new QuietLog();
  const runtime = await startRuntime({ port: 0, data, agent: expenseAgent, clock, log });
  return {
    url: runtime.url,
    as: (user) => ({ Authorization: `Bearer ${user}-token` }),
    local: { clock, log, ledger: () => fileLedger(join(data, 'ledger')).entries() },
    async stop() {
      await runtime.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Waits until `look` finds something, for at most 10 seconds. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, waitMs = 10_000): Promise<T> {
  const endsAt = Date.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > endsAt) throw new Error(`waited ${waitMs / 1_000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
