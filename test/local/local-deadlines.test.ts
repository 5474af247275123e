import { expect, test } from 'vitest';
import type { Timer } from '../../core/ports.ts';
import { LocalDeadlines } from '../../local/local-deadlines.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

function deadlinesOf(fire: (timer: Timer) => Promise<void> = async () => {}) {
  const clock = new ManualClock();
  const log = new QuietLog();
  const fired: Timer[] = [];
  const deadlines = new LocalDeadlines({
    clock,
    log,
    fire: async (timer) => {
      fired.push(timer);
      await fire(timer);
    },
  });
  const timer = (ask: number, inMs: number): Timer => ({
    taskId: 'task-a',
    ask,
    timer: 'expire',
    atMs: clock.now() + inMs,
  });
  return { clock, log, fired, deadlines, timer };
}

test('a timer fires once, at its time', async () => {
  const { clock, fired, deadlines, timer } = deadlinesOf();
  const due = timer(1, 60_000);
  await deadlines.set(due);
  await clock.advance(59_999);
  expect(fired).toEqual([]);
  await clock.advance(1);
  await clock.advance(60_000);
  expect(fired).toEqual([due]);
});

test('a timer whose time has passed fires at once', async () => {
  const { clock, fired, deadlines, timer } = deadlinesOf();
  await deadlines.set(timer(1, -1));
  await clock.advance(0);
  expect(fired).toHaveLength(1);
});

test('set again counts as made: the first time stays', async () => {
  const { clock, fired, deadlines, timer } = deadlinesOf();
  await deadlines.set(timer(1, 1_000));
  await deadlines.set(timer(1, 5_000));
  await clock.advance(10_000);
  expect(fired.map(({ atMs }) => atMs)).toEqual([1_800_000_001_000]);
});

test('a deleted timer does not fire; deleting what is not there counts as deleted; others stay', async () => {
  const { clock, fired, deadlines, timer } = deadlinesOf();
  await deadlines.set(timer(1, 1_000));
  await deadlines.set(timer(2, 1_000));
  await deadlines.delete({ taskId: 'task-a', ask: 1, timer: 'expire' });
  await deadlines.delete({ taskId: 'task-b', ask: 1, timer: 'expire' });
  await clock.advance(10_000);
  expect(fired.map(({ ask }) => ask)).toEqual([2]);
});

test('a timer that fails is logged and left to the sweeper', async () => {
  const { clock, log, deadlines, timer } = deadlinesOf(async () => {
    throw new Error('the table does not answer');
  });
  await deadlines.set(timer(1, 1_000));
  await clock.advance(1_000);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
});

test('after stop nothing fires', async () => {
  const { clock, fired, deadlines, timer } = deadlinesOf();
  await deadlines.set(timer(1, 1_000));
  await deadlines.stop();
  await clock.advance(10_000);
  expect(fired).toEqual([]);
});
