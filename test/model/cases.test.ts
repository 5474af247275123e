/** Cases from the field at the level of the core: stale, late, doubled and misdirected things change nothing. */
import { describe, expect, it } from 'vitest';
import { expense, expiring, twoAsks } from './agents.ts';
import { FIRST, request } from './callers.ts';
import { entriesOf } from './end-properties.ts';
import { heal, workOff } from './heal.ts';
import type { Actor } from './scheduler.ts';
import { asked, checkAll, claims, ending, errorText, question, said, told, toOpen, view } from './story.ts';
import type { World } from './world.ts';

async function answered(world: World, choice: 'CC-4410' | 'CC-4420', messageId: string): Promise<Actor> {
  const actor = await said(world, choice, messageId);
  await workOff(world);
  return actor;
}

/** The next moment at which the open question is over. */
function toExpiry(world: World): void {
  world.scheduler.nowMs = world.head?.ask?.expiresAtMs ?? 0;
}

describe('every way of closing a question goes through one claim (R03)', () => {
  const ways: readonly [name: string, close: (world: World) => Promise<Actor>][] = [
    ['an answer', (world) => world.send(request(toOpen(world, 'CC-4420', 'm-answer')))],
    ['its timer', (world) => world.fire(world.taskId as string)],
    ['the sweeper', (world) => world.sweep()],
    ['a look', (world) => world.get(world.taskId as string)],
  ];

  it.each(ways)('and a lost dispatch is picked up by the sweeper, once: %s', async (name, close) => {
    const world = await asked(expiring.make);
    if (name !== 'an answer') toExpiry(world);
    world.queue.failures = 1;
    await close(world);
    await workOff(world);
    expect([claims(world, 2), question(world)]).toEqual([0, 'none']);
    await heal(world);
    expect([claims(world, 2), question(world)]).toEqual([1, 'q-2']);
    await checkAll(world, expiring);
  });

  it.each(ways.flatMap(([one, first]) => ways.map(([two, second]) => [one, two, first, second] as const)))(
    'and who comes second changes nothing: %s, then %s',
    async (one, two, first, second) => {
      const world = await asked(expiring.make);
      if (one !== 'an answer') toExpiry(world);
      // Both have read the head before either writes.
      const actors = [await first(world), await second(world)];
      if (two !== 'an answer') toExpiry(world);
      for (const actor of actors) {
        const load = world.scheduler.ready().find((gate) => gate.actor === actor);
        if (load) await world.scheduler.open(load);
      }
      await workOff(world);
      expect([claims(world, 2), question(world)]).toEqual([1, 'q-2']);
      await checkAll(world, expiring);
    },
  );
});

describe('a turn that is owed is run once (R07)', () => {
  it('when the send fails after the answer was committed', async () => {
    const world = await asked(expense.make);
    world.queue.failures = 1;
    expect(told(await said(world, 'CC-4410', 'm-answer'))).toBe('WORKING');
    expect(world.queue.waiting.length).toBe(1);
    await heal(world);
    expect([claims(world, 2), world.filings.length]).toEqual([1, 1]);
    expect((await ending(world)).state).toBe('TASK_STATE_COMPLETED');
  });

  it.each(['before', 'after'] as const)('when the caller dies %s the send', async (place) => {
    const world = await asked(expense.make);
    const caller = await world.send(request(toOpen(world, 'CC-4410', 'm-answer')));
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) {
      if (gate.label === 'queue.send' && gate.place === place) world.scheduler.kill(caller);
      else await world.scheduler.open(gate);
    }
    await heal(world);
    expect([claims(world, 2), world.filings.length]).toEqual([1, 1]);
    expect((await ending(world)).state).toBe('TASK_STATE_COMPLETED');
    await checkAll(world, expense);
  });

  it('when the send was made and its answer was lost', async () => {
    const world = await asked(expense.make);
    await world.send(request(toOpen(world, 'CC-4410', 'm-answer')));
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) {
      const lost = gate.label === 'queue.send' && gate.place === 'after' ? new Error('timed out') : undefined;
      await world.scheduler.open(gate, lost);
    }
    await heal(world);
    expect([claims(world, 2), world.filings.length]).toEqual([1, 1]);
  });
});

describe('an expired question and the one after it (R12, R47, R54)', () => {
  async function secondQuestion(): Promise<World> {
    const world = await asked(expiring.make);
    toExpiry(world);
    await world.fire(world.taskId as string);
    await workOff(world);
    expect(question(world)).toBe('q-2');
    return world;
  }

  it('the first expires, the second is answered, the task goes on (R12)', async () => {
    const world = await secondQuestion();
    world.scheduler.nowMs += 1_000;
    await answered(world, 'CC-4420', 'm-second');
    expect(question(world)).toBe('q-3');
    await answered(world, 'CC-4410', 'm-third');
    expect(await ending(world)).toEqual({
      state: 'TASK_STATE_COMPLETED',
      artifacts: [['expired', 'CC-4420', 'CC-4410']],
      ledger: [],
      history: ['m-first', 'q-1', 's-4', 'q-2', 'm-second', 'q-3', 'm-third'],
    });
    await checkAll(world, expiring);
  });

  it('a default at expiry is told as defaulted (R92)', async () => {
    const world = await secondQuestion();
    toExpiry(world);
    await world.sweep();
    await workOff(world);
    await answered(world, 'CC-4410', 'm-third');
    expect((await ending(world)).artifacts).toEqual([['expired', 'defaulted', 'CC-4410']]);
    expect((await ending(world)).history).toEqual(['m-first', 'q-1', 's-4', 'q-2', 's-6', 'q-3', 'm-third']);
  });

  it('an answer that names the first is refused as expired, and the second is untouched (R47)', async () => {
    const world = await secondQuestion();
    const before = world.head;
    const late = await said(world, 'stale', 'm-late');
    expect(told(late)).toBe('INVALID_PARAMS');
    expect(errorText(late)).toMatch(/question q-.*-1 has expired; the open question is q-.*-2/);
    expect(world.head).toEqual(before);
  });

  it('an answer that names no question answers the open one (R47)', async () => {
    const world = await secondQuestion();
    const { taskId } = world;
    const message = {
      ...FIRST,
      messageId: 'm-unnamed',
      taskId: taskId as string,
      parts: [{ data: { choice: 'CC-4420' } }],
    };
    await world.send(request(message));
    await workOff(world);
    expect(question(world)).toBe('q-3');
  });

  it('the timer of the first changes nothing when it comes late, and twice (R47, R54)', async () => {
    const world = await secondQuestion();
    const before = world.head;
    for (const timer of [...world.timers, ...world.timers]) await world.fire(timer.taskId);
    await workOff(world);
    expect(world.head).toEqual(before);
    expect(world.log.counted('QuestionsExpired')).toBe(1);
  });

  it('one expiry is one event, however often its timer fires (R54)', async () => {
    const world = await asked(expense.make);
    toExpiry(world);
    for (let times = 0; times < 3; times++) await world.fire(world.taskId as string);
    await workOff(world);
    expect((await ending(world)).history).toEqual(['m-first', 'q-1', 's-4']);
    expect([world.head?.version, world.log.counted('QuestionsExpired')]).toEqual([4, 1]);
  });
});

describe('a reminder (R54)', () => {
  it('goes out once, however often and late its timer fires, and none once the question is answered', async () => {
    const world = await asked(twoAsks.make);
    const reminders = () => entriesOf(world.commits).filter(({ reminds }) => reminds !== undefined).length;
    world.scheduler.nowMs = (world.head?.ask?.expiresAtMs ?? 0) - 3_600_000;
    for (let times = 0; times < 3; times++) await world.fire(world.taskId as string);
    await workOff(world);
    expect(reminders()).toBe(1);
    await answered(world, 'CC-4410', 'm-1');
    for (let times = 0; times < 3; times++) await world.fire(world.taskId as string);
    await workOff(world);
    expect([reminders(), question(world)]).toEqual([1, 'q-2']);
    await checkAll(world, twoAsks);
  });
});

describe('two questions in a row (R66, R67, R88)', () => {
  it('the first is not asked again when the worker dies before the second (R66)', async () => {
    const world = await asked(twoAsks.make);
    await said(world, 'CC-4410', 'm-1');
    const worker = await world.deliver(1);
    const [gate] = world.scheduler.ready();
    await world.scheduler.open(gate as NonNullable<typeof gate>);
    expect(world.head?.turn.phase).toBe('running');
    world.scheduler.kill(worker);
    world.unacknowledged.clear();
    await heal(world);
    expect(question(world)).toBe('q-2');
    expect((await ending(world)).history).toEqual(['m-first', 'q-1', 'm-1', 'q-2']);
    await checkAll(world, twoAsks);
  });

  it('a queue message of the first answer changes nothing once the second is asked (R67)', async () => {
    const world = await asked(twoAsks.make);
    await answered(world, 'CC-4410', 'm-1');
    const before = world.head;
    for (const [index] of world.queue.sent.entries()) await world.deliver(index);
    await workOff(world);
    expect(question(world)).toBe('q-2');
    expect(world.head).toEqual(before);
  });

  it('what was made before the second is there while it waits, and once at the end (R88)', async () => {
    const world = await asked(twoAsks.make);
    await answered(world, 'CC-4410', 'm-1');
    expect((await ending(world)).artifacts).toEqual([{ first: 'CC-4410' }]);
    await answered(world, 'CC-4420', 'm-2');
    expect((await ending(world)).artifacts).toEqual([{ first: 'CC-4410' }, { second: 'CC-4420' }]);
    expect(new Set((await view(world)).artifacts?.map(({ artifactId }) => artifactId)).size).toBe(2);
  });
});
