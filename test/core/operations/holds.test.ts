/** Holds over the fakes: reserved, kept for a time, confirmed or released (design, section 12). */
import { describe, expect, it } from 'vitest';
import { HoldGoneError } from '../../../agent/errors.ts';
import type { Turn } from '../../../agent/turn.ts';
import { RetryableError } from '../../../core/errors.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { type BoxOffice, holdWorld, MINUTES } from './hold-world.ts';
import { alice } from './world.ts';

const question = { text: 'Who travels?', expiresIn: { minutes: 15 } } as const;

function seat(turn: Turn, office: BoxOffice, minutes = 10) {
  return turn.hold('seat', {
    for: { minutes },
    acquire: ({ idempotencyKey }) => office.acquire(idempotencyKey),
  });
}

async function booking(turn: Turn, office: BoxOffice): Promise<void> {
  const held = await seat(turn, office);
  await turn.ask('who', question);
  const kept = await held.tryConfirm();
  await turn.artifact({ name: 'seat', data: { kept, seat: kept ? held.value.seat : 'none' } });
}

const artifactOf = async (world: ReturnType<typeof holdWorld>, taskId: string) =>
  (await getTask(world.deps, alice, { id: taskId })).artifacts?.map(({ parts }) => parts[0]?.data);

describe('a hold (section 12)', () => {
  it('is written before anything is reserved, and has a timer of its own', async () => {
    const world = holdWorld(async (turn, office) => {
      const held = await seat(turn, office);
      office.calls.push(`held ${held.value.seat}`);
      await turn.ask('who', question);
    });
    const seen: unknown[] = [];
    const { acquire } = world.office;
    world.office.acquire = (key) => {
      seen.push(world.deps.store.heads()[0]?.holds);
      return acquire.call(world.office, key);
    };
    const id = await world.start();
    expect(seen).toEqual([[{ call: 1, n: 1, name: 'seat', state: 'reserving', untilMs: 1_800_000_600_000 }]]);
    expect(world.head(id).holds).toEqual([
      {
        call: 1,
        n: 1,
        name: 'seat',
        state: 'held',
        untilMs: 1_800_000_600_000,
        value: { value: { seat: '12A of hold-1' } },
      },
    ]);
    expect(world.head(id).dueMs).toBe(1_800_000_600_000);
    expect(world.deps.deadlines.timers).toContainEqual({
      taskId: id,
      ask: 1,
      timer: 'release',
      atMs: 1_800_000_600_000,
    });
    expect(world.office.calls).toEqual(['acquire hold-1', 'held 12A of hold-1']);
  });

  it('is confirmed by one write and then out of reach: no end of the task releases it', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    await world.answer(id, { text: 'Ada' });
    expect(world.state(id)).toBe('COMPLETED');
    expect(await artifactOf(world, id)).toEqual([{ kept: true, seat: '12A of hold-1' }]);
    expect(world.office.calls).toEqual(['acquire hold-1']);
    expect(world.head(id).holds).toBeUndefined();
    expect(world.deps.deadlines.timers.filter(({ timer }) => timer === 'release')).toEqual([]);
  });

  it.each([
    ['cancel', 'CANCELED', 'end'],
    ['decline', 'REJECTED', 'question'],
    ['expiry', 'FAILED', 'time'],
    ['its own time', 'INPUT_REQUIRED', 'time'],
  ] as const)('is released on %s', async (how, state, reason) => {
    const world = holdWorld(booking);
    const id = await world.start();
    if (how === 'cancel') await world.cancel(id);
    if (how === 'decline') await world.answer(id, { decline: {} });
    if (how === 'expiry') await world.clock.advance(15 * MINUTES);
    if (how === 'its own time') await world.clock.advance(10 * MINUTES);
    await world.due(id);
    expect(world.state(id)).toBe(state);
    expect(world.office.calls).toEqual(['acquire hold-1', `release hold-1 {"seat":"12A of hold-1"} ${reason}`]);
    expect(world.head(id).holds).toBeUndefined();
  });

  it('is released when the code completes, fails or rejects without having confirmed it', async () => {
    for (const end of ['return', 'fail', 'reject', 'throw'] as const) {
      const world = holdWorld(async (turn, office) => {
        await seat(turn, office);
        if (end === 'fail') await turn.fail('no');
        if (end === 'reject') await turn.reject('no');
        if (end === 'throw') await turn.step('boom', () => Promise.reject(new Error('boom')), { tries: 1 });
      });
      await world.start();
      expect(world.office.calls, end).toEqual(['acquire hold-1', 'release hold-1 {"seat":"12A of hold-1"} end']);
    }
  });

  it('is released although neither timer nor sweeper came, by whoever looks at the task next (invariant 7)', async () => {
    const world = holdWorld(booking);
    const id = await world.start();
    await world.clock.advance(10 * MINUTES);
    await getTask(world.deps, alice, { id });
    expect(world.head(id).holds?.[0]?.state).toBe('releasing');
    expect(world.state(id)).toBe('INPUT_REQUIRED');
  });

  it('that has gone is told to the turn that resumes, which can take a new one', async () => {
    const world = holdWorld(async (turn, office) => {
      let held = await seat(turn, office);
      await turn.ask('who', question);
      if (!(await held.tryConfirm())) {
        held = await seat(turn, office);
        await held.confirm();
      }
      await turn.artifact({ name: 'seat', data: held.value });
    });
    const id = await world.start();
    await world.clock.advance(12 * MINUTES);
    await world.answer(id, { text: 'Ada' });
    expect(await artifactOf(world, id)).toEqual([{ seat: '12A of hold-2' }]);
    expect(world.office.calls).toEqual([
      'acquire hold-1',
      'acquire hold-2',
      'release hold-1 {"seat":"12A of hold-1"} time',
    ]);
  });

  it('cannot be confirmed after its time, although nobody has released it yet (invariant 7)', async () => {
    const world = holdWorld(async (turn, office) => {
      const held = await seat(turn, office, 1);
      await world.clock.advance(MINUTES);
      await turn.artifact({ name: 'kept', data: { kept: await held.tryConfirm() } });
    });
    const id = await world.start();
    expect(await artifactOf(world, id)).toEqual([{ kept: false }]);
    expect(world.office.calls.at(-1)).toBe('release hold-1 {"seat":"12A of hold-1"} time');
  });

  it('is given back by its author, also after it was confirmed, and once', async () => {
    for (const confirm of [false, true]) {
      const world = holdWorld(async (turn, office) => {
        const held = await seat(turn, office);
        if (confirm) await held.confirm();
        await held.release();
        await held.release();
        await turn.ask('who', question);
      });
      const id = await world.start();
      expect(world.office.calls).toEqual(['acquire hold-1', 'release hold-1 {"seat":"12A of hold-1"} code']);
      expect(world.head(id).holds).toBeUndefined();
    }
  });

  it('that could not be acquired is released all the same, twice, and StepError is thrown', async () => {
    const world = holdWorld(async (turn, office) => {
      const held = turn.hold('seat', {
        for: { minutes: 5 },
        acquire: () => {
          office.calls.push('try');
          throw new TypeError('sold out');
        },
      });
      await held.catch((error: Error) => office.calls.push(`${error.name}: ${error.message}`));
      await turn.ask('who', question);
    });
    const starting = world.start();
    // Between two tries of `acquire` the worker sleeps.
    while (world.office.calls.filter((call) => call === 'try').length < 3) await world.clock.advance(100);
    const id = await starting;
    expect(world.office.calls.filter((call) => call === 'try')).toHaveLength(3);
    expect(world.office.calls).toContain('StepError: sold out');
    expect(world.office.calls.filter((call) => call.startsWith('release'))).toEqual([
      'release hold-1 undefined failed',
    ]);
    await world.clock.advance(2 * MINUTES);
    await world.work();
    expect(world.office.calls.filter((call) => call.startsWith('release'))).toHaveLength(2);
    expect(world.head(id).holds).toBeUndefined();
  });

  it('whose time passes while it is acquired is over, and what was acquired is given back again', async () => {
    const told: string[] = [];
    const world = holdWorld(async (turn, office) => {
      const acquire = async ({ idempotencyKey }: { idempotencyKey: string }) => {
        await world.clock.advance(2 * MINUTES);
        return office.acquire(idempotencyKey);
      };
      try {
        await turn.hold('seat', { for: { minutes: 1 }, acquire });
      } catch (error) {
        told.push(error instanceof HoldGoneError ? error.message : String(error));
      }
      await turn.ask('who', question);
    });
    await world.start();
    expect(told).toEqual(['the hold "seat" was over before it could be used']);
    expect(world.office.calls).toEqual(['acquire hold-1', 'release hold-1 {"seat":"12A of hold-1"} late']);
  });

  it('longer than the question under it is a fault that names both times and what to do', async () => {
    const world = holdWorld(async (turn, office) => {
      await seat(turn, office, 20);
      await turn.ask('who', question);
    });
    const id = await world.start();
    expect(world.state(id)).toBe('FAILED');
    expect(String(world.deps.log.lines.find(({ level }) => level === 'error')?.fields.error)).toBe(
      'AgentFault: "who" expires at 2027-01-15T08:15:00.000Z, before the hold "seat", which is kept until ' +
        '2027-01-15T08:20:00.000Z: let the question be open for longer (expiresIn), or hold for a shorter time (for)',
    );
    expect(world.office.calls.at(-1)).toBe('release hold-1 {"seat":"12A of hold-1"} end');
  });

  it('longer than the question under it shows the line that asks, not the library’s', async () => {
    const world = holdWorld(async function bookSeat(turn, office) {
      await seat(turn, office, 20);
      await turn.step('look', () => 1);
      await turn.ask('who', question);
    });
    await world.start();
    const { error } = world.deps.log.lines.find(({ level }) => level === 'error')?.fields ?? {};
    const frames = String((error as Error).stack)
      .split('\n')
      .slice(1);
    expect(frames.find((frame) => !frame.includes('/agent/'))).toMatch(/bookSeat .*holds\.test\.ts:\d+:\d+/);
    expect(String((error as Error).stack)).toContain('AgentFault: "who" expires at 2027-01-15T08:15:00.000Z, before');
    expect(String((error as Error).stack)).not.toContain('/core/transition/');
  });

  it('has limits: 8 that are open, and a name that the agent module knows', async () => {
    const many = holdWorld(async (turn, office) => {
      for (let n = 1; n <= 9; n++) await seat(turn, office);
    });
    await many.start();
    expect(String(many.deps.log.lines.find(({ level }) => level === 'error')?.fields.error)).toMatch(
      /may have at most 100 holds, 8 of them neither confirmed nor released; "seat" is over/,
    );
    const unknown = holdWorld(async (turn) => {
      await turn.hold('sofa', { for: { minutes: 1 }, acquire: () => null });
    });
    await unknown.start();
    expect(String(unknown.deps.log.lines.find(({ level }) => level === 'error')?.fields.error)).toBe(
      'AgentFault: hold "sofa": the agent module has no "sofa" in `holds` that releases it',
    );
  });

  it('that a worker died over is taken up by the next one under the same key', async () => {
    const world = holdWorld(async (turn, office) => {
      const held = await seat(turn, office);
      await held.confirm();
    });
    // The first worker reserves, and dies before it can write what came of it.
    world.deps.store.before = (op) => {
      if (op === 'save' && world.office.calls.length > 0) throw new RetryableError('STORE_UNAVAILABLE', 'gone');
    };
    const id = await world.start();
    expect(world.head(id).holds).toMatchObject([{ n: 1, state: 'reserving' }]);
    world.deps.store.before = undefined;
    await world.clock.advance(MINUTES);
    await world.due(id);
    await world.clock.advance(5_000);
    await world.work();
    expect(world.state(id)).toBe('COMPLETED');
    expect(world.office.calls).toEqual(['acquire hold-1', 'acquire hold-1']);
  });
});

it('a turn without holds pays not one byte for them', async () => {
  const world = holdWorld(async (turn) => {
    await turn.ask('who', question);
  });
  const id = await world.start();
  expect(Object.keys(world.head(id))).not.toContain('holds');
  expect(Object.keys(world.head(id).used)).not.toContain('holds');
});
