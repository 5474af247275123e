/**
 * A claim leaves `due` alone where it can (docs/decisions/0027). Here processes have clocks of their own, workers die, and
 * the sweeper looks too early: a dead worker is found by the first sweep after its lease, and nothing is written before.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../aws/create-table.ts';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sweep } from '../../core/operations/sweep.ts';
import type { TaskHead } from '../../core/task.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';
import { AMPLE, attacked, first, holding } from './world.ts';

const T0 = 1_800_000_000_000;
const never = () => new Promise<void>(() => undefined);

let dynamo: LocalDynamo;
let tables = 0;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

/** A task that waits for its first turn, on a table of its own where `onTable`; each process is given its clock. */
async function requested(onTable = false) {
  const world = attacked(never, { onMessage: 'queue' });
  const { deps } = world;
  const store = onTable ? await tableStore() : deps.store;
  const { id } = await world.send(first, undefined, { store });
  const message = { taskId: id, turn: 1 };
  const head = async () => (await store.load(id)) as TaskHead;
  /** A worker that claims the turn by this clock and then dies: its clock stands still, so that it never renews. */
  const claimedBy = async (clock: ManualClock) => {
    void runTurn({ ...deps, store, clock }, message, AMPLE);
    await until(async () => (await head()).turn.phase === 'running');
    return head();
  };
  const sweptAt = async (atMs: number) => sweep({ ...deps, store, clock: new ManualClock(atMs) }, AMPLE);
  return { deps, store, message, head, claimedBy, sweptAt };
}

async function tableStore(): Promise<DynamoTaskStore> {
  tables += 1;
  const tableName = `claims-${tables}`;
  await createTable(dynamo.client, tableName);
  return new DynamoTaskStore({ client: dynamo.client, tableName });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await settle();
  }
  throw new Error('it never came to that');
}

describe('a worker that dies right after its claim (invariant 3)', () => {
  it.each([
    ['at once', 0, T0 + 50_000],
    ['a second before the message would be sent again', 49_000, T0 + 50_000],
    ['in the millisecond in which it would be', 50_000, T0 + 50_000],
    ['after that, unswept', 50_001, T0 + 50_000],
    ['after that, by a clock that is an hour ahead of everybody else', 3_600_000, T0 + 50_000],
  ])(
    'claimed %s: nothing is written before its lease ends, and the first sweep after that finds it',
    async (...one) => {
      const [, afterMs, dueMs] = one;
      for (const onTable of [false, true]) {
        const { head, claimedBy, sweptAt } = await requested(onTable);
        const claimed = await claimedBy(new ManualClock(T0 + afterMs));
        const leaseEndMs = T0 + afterMs + 60_000;
        expect(claimed).toMatchObject({ dueMs, turn: { attempts: 1, lease: { untilMs: leaseEndMs } } });
        for (let atMs = T0 + afterMs; atMs < leaseEndMs; atMs += 19_999) {
          expect(await sweptAt(atMs)).toEqual({ found: atMs >= dueMs ? 1 : 0, failed: 0 });
        }
        await sweptAt(leaseEndMs - 1);
        expect(await head()).toEqual(claimed);
        expect(await sweptAt(leaseEndMs)).toEqual({ found: 1, failed: 0 });
        expect((await head()).turn).toMatchObject({ phase: 'parked', parked: { for: 'retry' } });
      }
    },
  );

  const skews = [-300_000, -60_000, -10_021, -10_020, -1, 1, 49_980, 49_981, 300_000];
  it.each(skews)('whose clock differs by %i ms from that of the API', async (skewMs) => {
    const { head, claimedBy, sweptAt } = await requested(true);
    const claimed = await claimedBy(new ManualClock(T0 + 20 + skewMs));
    const leaseEndMs = T0 + 60_020 + skewMs;
    expect(claimed.turn).toMatchObject({ attempts: 1, lease: { untilMs: leaseEndMs } });
    expect(claimed.dueMs).toBeLessThanOrEqual(leaseEndMs);
    await sweptAt(leaseEndMs - 1);
    expect(await head()).toEqual(claimed);
    expect(await sweptAt(leaseEndMs)).toEqual({ found: 1, failed: 0 });
    expect((await head()).turn.phase).toBe('parked');
  });
});

describe('a sweeper that looks too early', () => {
  it('reads the head once and writes nothing; the heartbeat puts an end to it', async () => {
    const { deps, message, sweptAt } = await requested();
    await deps.clock.advance(49_000);
    void runTurn(deps, message, AMPLE);
    await settle();
    const seen = async (atMs: number) => {
      deps.store.calls.length = 0;
      await sweptAt(atMs);
      return deps.store.calls.map(({ op }) => op).filter((op) => op !== 'due');
    };
    expect(await seen(T0 + 49_999)).toEqual([]);
    expect(await seen(T0 + 50_000)).toEqual(['load']);
    expect(await seen(T0 + 68_999)).toEqual(['load']);
    await deps.clock.advance(20_000);
    expect(deps.store.heads()[0]?.dueMs).toBe(T0 + 129_000);
    expect(await seen(T0 + 128_999)).toEqual([]);
  });
});

describe('two workers with one message, of which one must load and save (invariant 2)', () => {
  it.each([
    ['the one that claims by update comes first', false],
    ['the one that saves comes first', true],
  ])('%s: one lease, one attempt', async (_, saverFirst) => {
    const { deps, store, message, head } = await requested(true);
    // By its clock what is due lies beyond the lease, so it loads, decides and saves.
    const behind = new ManualClock(T0 - 10_001);
    const { store: slow, held, go } = holding(store as unknown as typeof deps.store, 'save');
    void runTurn({ ...deps, store: slow, clock: behind }, message, AMPLE);
    await held;
    const byUpdate = () => store.claim(message.taskId, 1, { token: 'update', untilMs: T0 + 65_000 }, T0 + 5_000);
    if (saverFirst) {
      go();
      await until(async () => (await head()).turn.phase === 'running');
      const won = await head();
      expect(await byUpdate()).toBeUndefined();
      expect(await head()).toEqual(won);
      expect(won).toMatchObject({ version: 2, dueMs: T0 + 49_999, turn: { attempts: 1 } });
      return;
    }
    const won = await byUpdate();
    expect(won).toMatchObject({ version: 2, dueMs: T0 + 50_000, turn: { attempts: 1, lease: { token: 'update' } } });
    go();
    await until(async () => deps.log.counted('RacesLost') === 1);
    expect(await head()).toEqual(won);
  });
});
