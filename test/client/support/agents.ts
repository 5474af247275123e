/** Agents of this project in the local runtime, for the client's scenarios. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentSpec, defineAgent } from '../../../agent/index.ts';
import type { ClientClock } from '../../../client/index.ts';
import { startRuntime } from '../../../local/runtime.ts';
import { ShiftedClock } from '../../e2e/support/shifted-clock.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';

export interface LocalAgent {
  readonly url: string;
  readonly clock: ShiftedClock;
  readonly log: QuietLog;
  stop(): Promise<void>;
}

export async function startAgent(spec: Omit<AgentSpec, 'card'> & { readonly name?: string }): Promise<LocalAgent> {
  const { name = 'Test agent', ...rest } = spec;
  const card = {
    name,
    description: 'Asks what a test wants.',
    version: '1.0.0',
    skills: [{ id: 'ask', name: 'Ask', description: 'Asks.', tags: ['test'] }],
  };
  const data = await mkdtemp(join(tmpdir(), 'askback-client-'));
  const clock = new ShiftedClock();
  const log = new QuietLog();
  const runtime = await startRuntime({ port: 0, data, agent: defineAgent({ card, ...rest }), clock, log });
  return {
    url: runtime.url,
    clock,
    log,
    async stop() {
      await runtime.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Retries and polls without waiting for them, while whatever else is to happen may happen. */
export const hastyClock: ClientClock = {
  now: () => Date.now(),
  // A look at a silent stream is the one wait that is longer than what a test may skip.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(resolve, ms >= 30_000 ? ms : Math.min(ms, 5));
      const early = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', early, { once: true });
    }),
};
