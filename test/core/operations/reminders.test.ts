/** Reminders before a question expires (design sections 6 and 9): an event of its own, written once. */
import { describe, expect, it } from 'vitest';
import { doDue } from '../../../core/operations/do-due.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { eventOf, HOOK, pushWorld } from './push-world.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, answerTo, request, text } from './world.ts';

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;
const EXTENSION = 'https://askback.dev/a2a/extensions/question/v1';

const reminding = (spec: Partial<AskSpec> = {}) =>
  pushWorld(tinyAgent({ spec: { remindBeforeMs: [2 * HOUR_MS, 6 * HOUR_MS], ...spec } }));

async function asked(world: ReturnType<typeof pushWorld>): Promise<string> {
  const { id } = await world.send(request, { url: HOOK });
  await world.settle();
  return id;
}

const timers = ({ deps }: ReturnType<typeof pushWorld>) =>
  deps.deadlines.timers.map(({ timer, atMs }) => [timer, (atMs - START_MS) / HOUR_MS]);

describe('a reminder', () => {
  it('comes at its time, repeats the question, and says that it is one', async () => {
    const world = reminding();
    const id = await asked(world);
    expect(timers(world)).toEqual([
      ['remind-2', 18],
      ['remind-1', 22],
      ['expire', 24],
    ]);
    await world.deps.clock.advance(18 * HOUR_MS - 1);
    await doDue(world.deps, id);
    await world.settle();
    expect(world.told()).toHaveLength(3);
    await world.deps.clock.advance(1);
    await doDue(world.deps, id);
    await world.settle();
    expect(world.told().slice(2)).toEqual(['3 INPUT_REQUIRED', '4 INPUT_REQUIRED']);
    const [question, reminder] = world.push.webhooks.posts.slice(2).map((post) => {
      const event = eventOf(post);
      return 'statusUpdate' in event ? event.statusUpdate.status : undefined;
    });
    const { metadata, ...message } = reminder!.message!;
    expect(message).toEqual(question!.message);
    expect(metadata).toEqual({ [EXTENSION]: { reminder: true } });
    expect(reminder!.timestamp).toBe('2027-01-16T02:00:00.000Z');
    expect(world.deps.log.counted('RemindersSent')).toBe(1);
  });

  it('leaves the task, its status and its history as they were, and the question as open as before', async () => {
    const world = reminding();
    const id = await asked(world);
    const before = await getTask(world.deps, alice, { id });
    await world.deps.clock.advance(18 * HOUR_MS);
    await doDue(world.deps, id);
    const after = await getTask(world.deps, alice, { id });
    expect(after).toEqual({ ...before, metadata: { [EXTENSION]: { generation: 4 } } });
    await world.send(answerTo(after, { costCentre: 'CC-4410' }));
    await world.settle();
    expect(world.deps.store.peek(id)?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('R54: fired twice is one reminder, and so for each of several', async () => {
    const world = reminding();
    const id = await asked(world);
    for (const hours of [18, 4]) {
      await world.deps.clock.advance(hours * HOUR_MS);
      for (const _ of [1, 2, 3]) await Promise.all([doDue(world.deps, id), doDue(world.deps, id)]);
      await world.settle();
    }
    expect(world.told().slice(3)).toEqual(['4 INPUT_REQUIRED', '5 INPUT_REQUIRED']);
    await world.deps.clock.advance(120_000);
    await world.sweep();
    expect(world.head().dueMs).toBe(START_MS + 24 * HOUR_MS);
  });

  it('R54: fired after the task moved on is nothing: answered, asked again, ended', async () => {
    const world = reminding();
    const id = await asked(world);
    await world.send(answerTo(await getTask(world.deps, alice, { id }), { costCentre: 'CC-4410' }));
    await world.settle();
    const told = world.told();
    await world.deps.clock.advance(18 * HOUR_MS);
    await doDue(world.deps, id);
    await world.settle();
    expect(world.told()).toEqual(told);
  });

  it('that nobody fired is found by the sweeper, and several that were missed are one', async () => {
    const world = reminding();
    await asked(world);
    await world.deps.clock.advance(23 * HOUR_MS);
    await world.sweep();
    await world.settle();
    expect(world.told().slice(3)).toEqual(['4 INPUT_REQUIRED']);
  });

  it('is not sent for a question that has expired: that is told instead', async () => {
    const world = reminding();
    await asked(world);
    await world.deps.clock.advance(24 * HOUR_MS);
    await world.sweep();
    await world.settle();
    expect(world.told().slice(3)).toEqual(['4 FAILED']);
  });

  it('keeps its time when the question is asked again, and repeats the new one', async () => {
    const world = reminding();
    const id = await asked(world);
    await world.send({ messageId: 'm-bad', taskId: id, parts: [text('engineering')] });
    expect(timers(world).map(([timer]) => timer)).toEqual(['remind-2', 'remind-1', 'expire']);
    await world.deps.clock.advance(18 * HOUR_MS);
    await doDue(world.deps, id);
    await world.settle();
    const last = eventOf(world.push.webhooks.posts.at(-1)!);
    const message = 'statusUpdate' in last ? last.statusUpdate.status.message : undefined;
    expect(message?.messageId).toBe(`q-${id.slice(0, 16)}-2`);
    expect(message?.metadata).toEqual({ [EXTENSION]: { reminder: true } });
  });

  it('has no timers left when the ask is over, whichever way', async () => {
    const answered = reminding();
    const id = await asked(answered);
    await answered.deps.clock.advance(18 * HOUR_MS);
    await doDue(answered.deps, id);
    await answered.send(answerTo(await getTask(answered.deps, alice, { id }), { costCentre: 'CC-4410' }));
    await answered.settle();
    // The first one fired; a scheduler deletes it by itself.
    expect(timers(answered)).toEqual([['remind-2', 18]]);

    const expired = reminding();
    await asked(expired);
    await expired.deps.clock.advance(24 * HOUR_MS);
    await expired.sweep();
    expect(timers(expired)).toEqual([]);
  });

  it('needs no timer of its own when it comes within 90 seconds', async () => {
    const world = reminding({ expiresInMs: 120_000, remindBeforeMs: [60_000] });
    const id = await asked(world);
    expect(timers(world).map(([timer]) => timer)).toEqual(['expire']);
    expect(world.deps.store.peek(id)?.dueMs).toBe(START_MS + 60_000);
  });

  it('has a timer name that Scheduler takes: at most 64 characters', async () => {
    const world = reminding();
    await asked(world);
    const [reminder] = world.deps.deadlines.timers;
    expect(`${reminder?.taskId}-${reminder?.ask}-${reminder?.timer}`).toMatch(/^[a-z2-7]{26}-1-remind-2$/);
  });
});
