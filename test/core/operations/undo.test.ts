/** What is owed outside is done by a worker, again and again, until it is given up (design, section 12). */
import { describe, expect, it, vi } from 'vitest';
import type { Turn } from '../../../agent/turn.ts';
import { runUndo } from '../../../core/operations/undo.ts';
import { type BoxOffice, holdWorld, MINUTES } from './hold-world.ts';

async function booking(turn: Turn, office: BoxOffice): Promise<void> {
  await turn.hold('seat', {
    for: { minutes: 10 },
    acquire: ({ idempotencyKey }) => office.acquire(idempotencyKey),
  });
  await turn.ask('who', { text: 'Who travels?', expiresIn: { minutes: 15 } });
}

describe('undoing (section 12)', () => {
  it('is tried eight times with growing delay, then given up: the message is for the dead letters', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    world.office.failures = 8;
    await world.cancel(id);
    const waits: number[] = [];
    for (let attempt = 2; attempt <= 7; attempt++) {
      const readyAtMs = world.deps.queue.nextReadyAtMs as number;
      waits.push(readyAtMs - world.clock.now());
      await world.clock.advance(readyAtMs - world.clock.now());
      await world.work();
    }
    expect(waits).toEqual([5_000, 30_000, 180_000, 900_000, 900_000, 900_000]);
    await world.clock.advance(900_000);
    const last = world.deps.queue.takeUndo();
    if (!last) throw new Error('nothing is sent for the last attempt');
    await expect(runUndo(world.deps, last)).rejects.toThrow(`hold 1 of task ${id} could not be undone`);
    expect(world.head(id).holds?.[0]?.undo).toMatchObject({ attempts: 8, gaveUp: true });
    expect(world.deps.log.counted('UndosGivenUp')).toBe(1);
    expect(world.head(id).dueMs).toBe(world.head(id).status.atMs + 2_592_000_000);
    // A message that was moved back from the dead letters runs it once more.
    await runUndo(world.deps, last);
    expect(world.head(id).holds).toBeUndefined();
    expect(world.office.calls.filter((call) => call.startsWith('release'))).toHaveLength(9);
  });

  it('that was lost is sent again by the sweeper, in ended tasks too, each time after twice the time', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    world.deps.queue.failures = 1;
    await world.cancel(id);
    expect(world.office.calls).toEqual(['acquire hold-1']);
    expect(world.head(id).dueMs).toBe(1_800_000_120_000);
    await world.clock.advance(2 * MINUTES);
    world.deps.queue.failures = 1;
    await world.due(id);
    expect(world.head(id).dueMs).toBe(1_800_000_360_000);
    await world.clock.advance(4 * MINUTES);
    await world.due(id);
    expect(world.office.calls).toEqual(['acquire hold-1', 'release hold-1 {"seat":"12A of hold-1"} end']);
    expect(world.head(id).dueMs).toBe(world.head(id).status.atMs + 2_592_000_000);
  });

  it('of what is settled, of another agent, or twice at once, changes nothing', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    await runUndo(world.deps, { taskId: id, undo: { of: 'hold', n: 1 } });
    await runUndo(world.deps, { taskId: id, undo: { of: 'delegate', n: 1 } });
    await runUndo(world.deps, { taskId: 'nobody', undo: { of: 'hold', n: 1 } });
    expect(world.office.calls).toEqual(['acquire hold-1']);
    expect(world.head(id).holds?.[0]?.state).toBe('held');
  });

  it('keeps a task from being deleted before it has been done (section 4, retention)', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    world.deps.queue.failures = 1;
    await world.cancel(id);
    await world.clock.advance(31 * 24 * 60 * MINUTES);
    await world.due(id);
    expect(world.office.calls.at(-1)).toMatch(/^release/);
    expect(world.deps.store.peek(id)).toBeDefined();
    await world.due(id);
    expect(world.deps.store.peek(id)).toBeUndefined();
  });
});

describe('a hold (section 12)', () => {
  /** The task is canceled while its worker reserves; that comes to an end only if the worker is alive. */
  async function canceledWhileReserving(worker: 'alive' | 'dead') {
    const world = holdWorld(booking);
    const { office } = world;
    const acquire = office.acquire.bind(office);
    let go: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      go = resolve;
    });
    office.acquire = (key) => late.then(() => acquire(key)) as never;
    const starting = world.start();
    await vi.waitFor(() => expect(world.deps.store.heads()[0]?.holds?.[0]?.state).toBe('reserving'));
    const id = world.deps.store.heads()[0]?.taskId as string;
    await world.cancel(id);
    if (worker === 'alive') go();
    if (worker === 'alive') await starting;
    return { world, id, released: () => office.calls.filter((call) => call.startsWith('release')) };
  }

  it('that a dead worker was reserving when the task ended is released at once, and again two minutes later', async () => {
    const { world, id, released } = await canceledWhileReserving('dead');
    expect(released()).toEqual(['release hold-1 undefined end']);
    // A second delivery of the first message is not taken for the second release.
    await runUndo(world.deps, { taskId: id, undo: { of: 'hold', n: 1 } });
    expect(released()).toHaveLength(1);
    await world.clock.advance(2 * MINUTES);
    await world.work();
    expect(released()).toEqual(['release hold-1 undefined end', 'release hold-1 undefined end']);
    expect(world.head(id).holds).toBeUndefined();
  });

  it('that a live worker was reserving when the task ended is released as soon as that is done', async () => {
    const { world, id, released } = await canceledWhileReserving('alive');
    expect(released()).toEqual(['release hold-1 undefined end', 'release hold-1 {"seat":"12A of hold-1"} late']);
    expect(world.head(id).holds).toBeUndefined();
    expect(world.state(id)).toBe('CANCELED');
  });
});
