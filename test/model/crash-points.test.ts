/** Invariant 3, point by point: the worked example with one crash at each single step of anybody's. */
import { describe, expect, it } from 'vitest';
import { expense } from './agents.ts';
import { FIRST, request } from './callers.ts';
import { heal } from './heal.ts';
import { disturbance, type Gate } from './scheduler.ts';
import { checkAll, ending, recordedIds, toOpen } from './story.ts';
import { World } from './world.ts';

const END = {
  state: 'TASK_STATE_COMPLETED',
  artifacts: [{ amount: 42, choice: 'CC-4410' }],
  ledger: [{ amount: 42, choice: 'CC-4410' }],
  history: ['m-first', 'q-1', 'm-bad', 'q-2', 'm-good'],
};

/** dies: at once and for ever. freezes: comes back when all is over. fails: is throttled, or loses the answer. */
type Crash = 'dies' | 'freezes' | 'fails';

/** The worked example, with a crash at the gate of the given number; answers with what happened there. */
async function play(at: number, how: Crash): Promise<{ world: World; gates: number; where: string }> {
  const world = new World(expense.make);
  let gates = 0;
  let where = '';

  const open = async (gate: Gate): Promise<void> => {
    gates += 1;
    if (gates !== at) return world.scheduler.open(gate);
    where = `${gate.actor.name}: ${gate.place} ${gate.label} (${how})`;
    const running = world.head?.turn.phase === 'running';
    if (how === 'fails' && gate.place !== 'sleep') await world.scheduler.open(gate, disturbance(gate));
    else if (how === 'dies') world.scheduler.kill(gate.actor);
    else gate.actor.status = 'frozen';
    // The dead worker's message is lost too: recovery is the sweeper's alone. It has just been here.
    if (gate.actor.kind === 'worker' && how !== 'fails') world.unacknowledged.clear();
    const crashedMs = world.nowMs;
    await heal(world, 59_999);
    const took = world.nowMs - crashedMs;
    // Lease 60 s and retry 5 s, or dispatch 120 s; then one sweep of at most 60 s.
    expect(took, where).toBeLessThanOrEqual(running ? 125_000 : 180_000);
  };
  const goOn = async (): Promise<void> => {
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) await open(gate);
  };
  const send = async (message: typeof FIRST): Promise<void> => {
    for (let tries = 0; tries < 3 && !recordedIds(world).includes(message.messageId); tries++) {
      await world.send(request(message));
      await goOn();
    }
    for (let [index] = world.deliverable(); index !== undefined; [index] = world.deliverable()) {
      await world.deliver(index);
      await goOn();
    }
  };

  await send(FIRST);
  await send(toOpen(world, 'babble', 'm-bad'));
  await send(toOpen(world, 'CC-4410', 'm-good'));
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  return { world, gates, where };
}

describe('the worked example recovers from one crash wherever it happens (invariant 3)', () => {
  it('needs no sweep and no time when nobody crashes', async () => {
    const { world } = await play(0, 'dies');
    expect(await ending(world)).toEqual(END);
    expect(world.scheduler.actors.map(({ kind }) => kind)).toEqual(['api', 'worker', 'api', 'api', 'worker']);
    expect(world.nowMs).toBe(1_800_000_000_000);
    expect(world.deadlines.timers).toEqual([]);
    await checkAll(world, expense);
  });

  it.each<Crash>(['dies', 'freezes', 'fails'])('whoever is at it %s', async (how) => {
    const { gates } = await play(0, how);
    expect(gates).toBeGreaterThan(30);
    for (let at = 1; at <= gates; at++) {
      const { world, where } = await play(at, how);
      expect(await ending(world), where).toEqual(END);
      expect(
        world.filings.every((key) => key === world.filings[0]),
        where,
      ).toBe(true);
      await checkAll(world, expense);
    }
  });
});
