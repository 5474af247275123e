import { expect, test } from 'vitest';
import type { QueueMessage } from '../../core/queue-message.ts';
import { LocalTurnQueue } from '../../local/local-turn-queue.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

const message = (turn: number): QueueMessage => ({ taskId: 'task-a', turn });

function queueOf(deliver: (message: QueueMessage) => Promise<void>, concurrency = 8) {
  const clock = new ManualClock();
  const log = new QuietLog();
  return { clock, log, queue: new LocalTurnQueue({ clock, log, deliver, concurrency }) };
}

test('a message is delivered once, after the call that sent it has returned', async () => {
  const got: QueueMessage[] = [];
  const { queue } = queueOf(async (delivered) => void got.push(delivered));
  await queue.send(message(1));
  expect(got).toEqual([]);
  await settle();
  await settle();
  expect(got).toEqual([{ taskId: 'task-a', turn: 1 }]);
});

test('a delayed message is not delivered before its delay has passed', async () => {
  const got: QueueMessage[] = [];
  const { queue, clock } = queueOf(async (delivered) => void got.push(delivered));
  await queue.send(message(1), 5_000);
  await clock.advance(4_999);
  expect(got).toEqual([]);
  await clock.advance(1);
  expect(got).toEqual([{ taskId: 'task-a', turn: 1 }]);
});

test('a delivery that fails is repeated after 1, 2, 4 and 8 seconds, then dropped and logged', async () => {
  const at: number[] = [];
  const { queue, clock, log } = queueOf(async () => {
    at.push(clock.now() - 1_800_000_000_000);
    throw new Error('the table does not answer');
  });
  await queue.send(message(1));
  await settle();
  await clock.advance(600_000);
  expect(at).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('no more deliveries run at the same time than allowed, and none is forgotten', async () => {
  const running: (() => void)[] = [];
  let most = 0;
  let delivered = 0;
  const { queue } = queueOf(async () => {
    delivered += 1;
    await new Promise<void>((resolve) => {
      running.push(resolve);
      most = Math.max(most, running.length);
    });
  }, 2);
  for (let turn = 1; turn <= 5; turn += 1) await queue.send(message(turn));
  for (let round = 0; round < 5; round += 1) {
    await settle();
    await settle();
    running.shift()?.();
  }
  expect([most, delivered]).toEqual([2, 5]);
});

test('stop waits for what runs and delivers nothing any more', async () => {
  let finish = () => {};
  const got: number[] = [];
  const { queue, clock } = queueOf(async ({ turn = 0 }) => {
    got.push(turn);
    if (turn === 1) await new Promise<void>((resolve) => (finish = resolve));
  });
  await queue.send(message(1));
  await queue.send(message(2), 1_000);
  await settle();
  let stopped = false;
  const stopping = queue.stop().then(() => (stopped = true));
  await clock.advance(1_000);
  await expect(queue.send(message(3))).rejects.toMatchObject({ name: 'RetryableError', reason: 'QUEUE_UNAVAILABLE' });
  expect([got, stopped]).toEqual([[1], false]);
  finish();
  await stopping;
  expect(got).toEqual([1]);
});
