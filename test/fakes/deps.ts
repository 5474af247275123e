/** All fakes wired together. What a test gives replaces the fake and keeps its own type. */
import type { Agent } from '../../core/agent.ts';
import type { Clock, Deps } from '../../core/ports.ts';
import { CountingIds } from './counting-ids.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryDeadlines } from './memory-deadlines.ts';
import { MemoryQueue } from './memory-queue.ts';
import { MemoryTaskStore } from './memory-store.ts';
import { MemoryWake } from './memory-wake.ts';
import { PlainCipher } from './plain-cipher.ts';
import { PlainSigner } from './plain-signer.ts';
import { QuietLog } from './quiet-log.ts';

export interface FakeDeps {
  readonly store: MemoryTaskStore;
  readonly queue: MemoryQueue;
  readonly deadlines: MemoryDeadlines;
  readonly clock: ManualClock;
  readonly ids: CountingIds;
  readonly cipher: PlainCipher;
  readonly signer: PlainSigner;
  readonly wake: MemoryWake;
  readonly log: QuietLog;
  readonly agent: Agent;
  readonly baseUrl: () => string | undefined;
}

/** Queue and wake go by the clock that is given, or by the new manual one. */
export function fakeDeps<T extends Partial<Deps> & { readonly agent: Agent }>(
  overrides: T,
): Omit<FakeDeps, keyof T> & T {
  const clock: Clock = overrides.clock ?? new ManualClock();
  const fakes = {
    store: new MemoryTaskStore(),
    queue: new MemoryQueue(clock),
    deadlines: new MemoryDeadlines(),
    clock,
    ids: new CountingIds(),
    cipher: new PlainCipher(),
    signer: new PlainSigner(),
    wake: new MemoryWake(clock),
    log: new QuietLog(),
    baseUrl: () => 'https://agent.example.com',
  };
  return { ...fakes, ...overrides } as unknown as Omit<FakeDeps, keyof T> & T;
}
