/** Invariant 3, point by point: one crash at each single step of anybody's, and the same end. */
import { describe, expect, it } from 'vitest';
import { type AgentUnderTest, burst, expense, inbox } from './agents.ts';
import { FIRST, request, type Saying } from './callers.ts';
import { heal } from './heal.ts';
import { disturbance, type Gate } from './scheduler.ts';
import { checkAll, ending, recordedIds, toOpen } from './story.ts';
import { World } from './world.ts';

/** What is said after the question, and whether the workers get to work before the next is said. */
interface Story {
  readonly agent: AgentUnderTest;
  readonly sayings: readonly { readonly saying: Saying; readonly id: string; readonly works: boolean }[];
  /** Who crashes: anybody, or the workers once all has been said. */
  readonly who: 'anybody' | 'workers at the end';
  readonly end: unknown;
}

const workedExample: Story = {
  agent: expense,
  sayings: [
    { saying: 'babble', id: 'm-bad', works: true },
    { saying: 'CC-4410', id: 'm-good', works: true },
  ],
  who: 'anybody',
  end: {
    state: 'TASK_STATE_COMPLETED',
    artifacts: [{ amount: 42, choice: 'CC-4410' }],
    ledger: [{ amount: 42, choice: 'CC-4410' }],
    history: ['m-first', 'q-1', 'm-bad', 'q-2', 'm-good'],
  },
};

const messageMeanwhile: Story = {
  agent: inbox,
  sayings: [
    { saying: 'CC-4410', id: 'm-good', works: false },
    { saying: 'babble', id: 'm-chat', works: true },
  ],
  who: 'workers at the end',
  end: {
    state: 'TASK_STATE_COMPLETED',
    artifacts: [{ outcome: 'answered' }, { read: 'm-chat' }],
    ledger: ['before', 'after'],
    history: ['m-first', 'q-1', 'm-good', 'm-chat'],
  },
};

const muchAtOnce: Story = {
  agent: burst,
  sayings: [{ saying: 'CC-4410', id: 'm-good', works: true }],
  who: 'anybody',
  end: {
    state: 'TASK_STATE_COMPLETED',
    artifacts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((part) => ({ part })),
    ledger: ['filed'],
    history: ['m-first', 'q-1', 'm-good'],
  },
};

/** dies: at once and for ever. freezes: comes back when all is over. fails: is throttled, or loses the answer. */
type Crash = 'dies' | 'freezes' | 'fails';

/** The story with a crash at the gate of the given number (0: none); tells how many gates there are. */
async function play(story: Story, at: number, how: Crash): Promise<{ world: World; gates: number; where: string }> {
  const world = new World(story.agent.make);
  let gates = 0;
  let told = 0;
  let where = '';

  const open = async (gate: Gate): Promise<void> => {
    const counts = story.who === 'anybody' || (told === story.sayings.length && gate.actor.kind === 'worker');
    if (!counts || ++gates !== at) return world.scheduler.open(gate);
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
    // Lease 60 s and retry 5 s, or dispatch 50 s; then one sweep of at most 60 s.
    return expect(took, where).toBeLessThanOrEqual(running ? 125_000 : 110_000);
  };
  const goOn = async (): Promise<void> => {
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) await open(gate);
  };
  const send = async (message: typeof FIRST, works: boolean): Promise<void> => {
    for (let tries = 0; tries < 3 && !recordedIds(world).includes(message.messageId); tries++) {
      await world.send(request(message));
      await goOn();
    }
    for (let [index] = world.deliverable(); works && index !== undefined; [index] = world.deliverable()) {
      await world.deliver(index);
      await goOn();
    }
  };

  await send(FIRST, true);
  for (const { saying, id, works } of story.sayings) {
    told += 1;
    await send(toOpen(world, saying, id), works);
  }
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  return { world, gates, where };
}

describe('the worked example recovers from one crash wherever it happens (invariant 3)', () => {
  it('needs no sweep and no time when nobody crashes', async () => {
    const { world } = await play(workedExample, 0, 'dies');
    expect(await ending(world)).toEqual(workedExample.end);
    expect(world.scheduler.actors.map(({ kind }) => kind)).toEqual(['api', 'worker', 'api', 'api', 'worker']);
    expect(world.nowMs).toBe(1_800_000_000_000);
    expect(world.deadlines.timers).toEqual([]);
    await checkAll(world, expense);
  });

  it('and fails with a correlation id after five attempts that all died (section 8)', async () => {
    const world = new World(expense.make);
    await world.send(request(FIRST));
    await world.scheduler.drain();
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect([world.head?.turn.attempts, world.deliverable().length], `attempt ${attempt}`).toEqual([attempt - 1, 1]);
      const worker = await world.deliver(world.deliverable()[0] as number);
      while (world.head?.turn.attempts !== attempt) await world.scheduler.open(world.scheduler.ready()[0] as Gate);
      world.scheduler.kill(worker);
      world.unacknowledged.clear();
      // The lease ends, the sweeper takes it over, and the turn waits for its next attempt.
      world.scheduler.nowMs += 60_000;
      await world.sweep();
      await world.scheduler.drain();
      world.scheduler.nowMs += 900_000;
    }
    expect((await ending(world)).state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(world.head)).toContain('Correlation id');
    await checkAll(world, expense);
  });

  it.each<[string, Story, Crash]>([
    ['the worked example, and whoever is at it dies', workedExample, 'dies'],
    ['the worked example, and whoever is at it freezes', workedExample, 'freezes'],
    ['the worked example, and whoever is at it fails', workedExample, 'fails'],
    ['much at once, and whoever is at it dies', muchAtOnce, 'dies'],
    ['much at once, and whoever is at it freezes', muchAtOnce, 'freezes'],
    ['much at once, and whoever is at it fails', muchAtOnce, 'fails'],
    ['a message meanwhile, and who reads it dies', messageMeanwhile, 'dies'],
    ['a message meanwhile, and who reads it freezes', messageMeanwhile, 'freezes'],
    ['a message meanwhile, and who reads it fails', messageMeanwhile, 'fails'],
  ])('%s', async (_title, story, how) => {
    const { gates } = await play(story, 0, how);
    expect(gates).toBeGreaterThan(15);
    for (let at = 1; at <= gates; at++) {
      const { world, where } = await play(story, at, how);
      expect(await ending(world), where).toEqual(story.end);
      await checkAll(world, story.agent);
    }
  });
});
