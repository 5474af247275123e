/** Invariant 9: a write costs the same at round 1 and at round 100; and what the model once found. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { jsonBytes } from '../../core/json.ts';
import { expense, inbox, maker, question } from './agents.ts';
import { FIRST, request } from './callers.ts';
import { workOff } from './heal.ts';
import { asked, checkAll, claims, ending, recordedIds, said, told, toOpen } from './story.ts';
import type { Gate } from './scheduler.ts';
import { World } from './world.ts';

const asksOften = maker('asks-often', async (turn) => {
  for (let round = 1; ; round++) {
    await turn.ask(`round-${round}`, { ...question, expiresIn: { hours: 24 } });
    if (round % 10 === 0) await turn.artifact({ name: `after-${round}`, data: { round } });
  }
});

describe('an agent that asks 100 times (invariant 9)', () => {
  it('writes heads of the same size all along, and is ended with a clear reason at the limit', async () => {
    const world = await asked(asksOften);
    const bytes: number[] = [0];
    for (let round = 1; round <= 100; round++) {
      bytes.push(jsonBytes(world.head));
      expect(world.head?.ask?.name).toBe(`round-${round}`);
      expect(told(await said(world, 'CC-4410', `m-${round}`))).toBe('WORKING');
      await workOff(world);
    }
    const at = (round: number): number => bytes[round] as number;
    expect(at(100) / at(5)).toBeLessThanOrEqual(1.5);
    expect(Math.max(...bytes.slice(5)) / at(5)).toBeLessThanOrEqual(1.5);
    const end = await ending(world);
    expect(end.state).toBe('TASK_STATE_FAILED');
    expect(end.artifacts.length).toBe(10);
    expect(end.history.length).toBe(202);
    expect(end.history.slice(0, 3)).toEqual(['m-first', 'q-1', 'm-1']);
    expect(end.history.slice(-3, -1)).toEqual(['q-100', 'm-100']);
  });
});

describe('events that wait for the next write', () => {
  const slow = maker('slow', async (turn, outside) => {
    await turn.step('before', ({ idempotencyKey }) => outside.file(idempotencyKey, 'before'));
    await turn.artifact({ name: 'a', data: { made: true } });
    await turn.step('after', ({ idempotencyKey }) => outside.file(idempotencyKey, 'after'));
    await turn.ask('done', question);
  });

  /** Opens gates until the ledger is to be called once more than it has been so far. */
  async function toLedger(world: World, filings: number): Promise<void> {
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) {
      if (gate.label === 'ledger.file' && gate.place === 'before' && world.filings.length === filings) return;
      await world.scheduler.open(gate);
    }
  }

  it('are not lost to a heartbeat in between', async () => {
    const world = new World(slow);
    await world.send(request(FIRST));
    await world.scheduler.drain();
    await world.deliver(0);
    await toLedger(world, 0);
    // The first step ends just before the heartbeat, which so finds the artifact waiting.
    world.scheduler.nowMs += 19_900;
    await toLedger(world, 1);
    world.scheduler.nowMs += 100;
    const heartbeat = world.scheduler.ready().find(({ place }) => place === 'sleep');
    await world.scheduler.open(heartbeat as Gate);
    await workOff(world);
    expect(world.commits.map(({ head }) => head.turn.lease?.untilMs)).toContain(1_800_000_080_000);
    expect((await ending(world)).artifacts).toEqual([{ made: true }]);
  });

  it('are not lost when the code fails for good right after', async () => {
    const failing = maker('failing', async (turn) => {
      await turn.artifact({ name: 'a', data: { made: true } });
      await turn.step('never', () => Promise.reject(new Error('no')), { tries: 1 });
    });
    const world = await asked(failing);
    expect(await ending(world)).toMatchObject({ state: 'TASK_STATE_FAILED', artifacts: [{ made: true }] });
  });
});

describe('messages to a task that is not asking', () => {
  it('are taken once when the same one comes twice at the same instant (S13)', async () => {
    const world = await asked(inbox.make);
    await said(world, 'CC-4410', 'm-answer');
    const chat = toOpen(world, 'babble', 'm-chat');
    const callers = [await world.send(request(chat)), await world.send(request(chat))];
    // Both read the head before either writes.
    for (const gate of world.scheduler.ready()) await world.scheduler.open(gate);
    await world.scheduler.drain();
    expect(callers.map(told)).toEqual(['WORKING', 'WORKING']);
    expect(recordedIds(world)).toEqual(['m-first', 'm-answer', 'm-chat']);
    await workOff(world);
    expect(claims(world, 2)).toBe(1);
    expect((await ending(world)).artifacts).toEqual([{ outcome: 'answered' }, { read: 'm-chat' }]);
    await checkAll(world, inbox);
  });
});

describe('a message that comes between what a worker decided and what it writes', () => {
  it('costs the turn no attempt and no time, and is read before the task ends', async () => {
    const world = await asked(inbox.make);
    await said(world, 'CC-4410', 'm-answer');
    await world.deliver(1);
    const late = await world.send(request(toOpen(world, 'babble', 'm-late')));
    for (;;) {
      const gate = world.scheduler.ready().find(({ actor }) => actor.kind === 'worker');
      // The write that would end the task: all artifacts have been told, and the inbox was empty.
      if (gate?.label === 'store.save' && gate.place === 'before') break;
      await world.scheduler.open(gate as Gate);
    }
    for (let gate = ofCaller(); gate; gate = ofCaller()) await world.scheduler.open(gate);
    expect(told(late)).toBe('WORKING');
    await workOff(world);
    expect(world.head?.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await ending(world)).artifacts).toEqual([{ outcome: 'answered' }, { read: 'm-late' }]);
    expect([world.nowMs, world.log.counted('RacesLost')]).toEqual([1_800_000_000_000, 1]);
    expect(world.commits.every(({ head }) => head.turn.attempts <= 1)).toBe(true);
    await checkAll(world, inbox);

    function ofCaller(): Gate | undefined {
      return world.scheduler.ready().find(({ actor }) => actor === late);
    }
  });
});

describe('a run of the agent layer', () => {
  it('leaves no async storage behind: each one would slow every promise of the process for good', async () => {
    const used = new Set<unknown>();
    const original = AsyncLocalStorage.prototype.run as (this: unknown, ...args: readonly unknown[]) => unknown;
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run').mockImplementation(function (
      this: AsyncLocalStorage<unknown>,
      store: unknown,
      callback: (...args: unknown[]) => unknown,
      ...args: unknown[]
    ) {
      used.add(this);
      return original.call(this, store, callback, ...args);
    });
    for (let task = 1; task <= 3; task++) await asked(expense.make);
    run.mockRestore();
    expect(used.size).toBe(1);
  });
});
