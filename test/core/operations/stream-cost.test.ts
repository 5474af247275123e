/** What a stream costs (design 9, 13): reads, a connection that is cut, a store that does not answer. */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { subscribeToTask } from '../../../core/operations/stream-task.ts';
import { brief, inTime, read, status, twoInstances } from './streaming.ts';
import { alice, answerTo, request } from './world.ts';

const MINUTE_MS = 60_000;

describe('what a stream costs (design 13)', () => {
  it('at most 30 reads a minute while a task waits, from the first minute on', async () => {
    const { subscribe, clock, paused, loads } = twoInstances();
    const { id } = await paused();
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(30);
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(60);
  });

  it('and so 2 s after the question, not only once it has waited for long', async () => {
    const { subscribe, clock, send, deliver, store, loads } = twoInstances();
    const { id } = await send(request);
    await deliver();
    expect(store.peek(id)?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await clock.advance(3_000);
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(20_000);
    expect(loads() - before).toBe(10);
  });

  it('at most 30 reads a minute once a task has been silent for a minute, whatever it does', async () => {
    const { subscribe, clock, send, store, loads } = twoInstances();
    const { id } = await send(request);
    await status(store, id, 'TASK_STATE_WORKING', clock.now());
    void read(await subscribe(id));
    await clock.advance(MINUTE_MS);
    const before = loads();
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(30);
  });

  it('looks every 40 ms for 2 s after an event, then every 250 ms while the task works', async () => {
    const { subscribe, clock, send, store, loads } = twoInstances();
    const { id } = await send(request);
    await status(store, id, 'TASK_STATE_WORKING', clock.now());
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(2_000);
    expect(loads() - before).toBe(50);
    await clock.advance(10_000);
    expect(loads() - before).toBe(90);
  });

  it('a write of the same process is told at once', async () => {
    const { clock, paused, deps, loads } = twoInstances();
    const { id } = await paused();
    const reading = read(await subscribeToTask(deps, alice, { id }));
    await clock.advance(20_100);
    const atMs = clock.now();
    const before = loads();
    await cancelTask(deps, alice, { id });
    expect(brief(await inTime(clock, reading)).at(-1)).toBe('4 status CANCELED');
    expect(clock.now()).toBe(atMs);
    expect(loads() - before).toBe(2);
  });
});

describe('a connection that is cut (R34)', () => {
  it('stops the reading at once, and the task goes on', async () => {
    const { subscribe, clock, paused, send, deliver, loads, store } = twoInstances();
    const asking = await paused();
    const gone = new AbortController();
    const reading = read(await subscribe(asking.id, { signal: gone.signal }));
    await clock.advance(10_000);
    const before = loads();
    gone.abort();
    expect(brief(await reading)).toEqual(['3 task INPUT_REQUIRED']);
    expect(clock.sleeping).toBe(0);
    await clock.advance(MINUTE_MS);
    expect(loads()).toBe(before);
    expect(store.peek(asking.id)?.version).toBe(3);
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    await deliver();
    expect(store.peek(asking.id)?.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a store that does not answer', () => {
  const failing = (times: number) => {
    const made = twoInstances();
    let left = 0;
    made.store.before = (op) => {
      if (op !== 'load' || left === 0) return;
      left -= 1;
      throw new RetryableError('THROTTLED', 'too many');
    };
    const fail = () => {
      left = times;
    };
    return Object.assign(made, { fail });
  };

  it('for a while only delays', async () => {
    const { subscribe, clock, paused, store, fail } = failing(4);
    const { id } = await paused();
    const reading = read(await subscribe(id));
    fail();
    await status(store, id, 'TASK_STATE_CANCELED', clock.now());
    expect(brief(await inTime(clock, reading))).toEqual(['3 task INPUT_REQUIRED', '4 status CANCELED']);
  });

  it('for five looks ends the stream with its error', async () => {
    const { subscribe, clock, paused, fail } = failing(5);
    const { id } = await paused();
    const reading = read(await subscribe(id));
    fail();
    await expect(inTime(clock, reading)).rejects.toMatchObject({ reason: 'THROTTLED' });
  });
});
