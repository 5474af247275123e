import { describe, expect, it } from 'vitest';
import type { Agent } from '../../core/agent.ts';
import type { Deps } from '../../core/ports.ts';
import { fakeDeps } from './deps.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryQueue } from './memory-queue.ts';
import { MemoryWake } from './memory-wake.ts';
import { PlainCipher } from './plain-cipher.ts';

const agent: Agent = {
  name: 'a',
  card: { name: 'a', description: 'd', version: '1', skills: [] },
  settings: { idempotency: 'on', onMessage: 'reject' },
  run: async () => {},
};

describe('the manual clock', () => {
  it('wakes sleepers in order of their time and lets each run before the next wakes', async () => {
    const clock = new ManualClock(1_000);
    const seen: string[] = [];
    const sleepTwice = async () => {
      await clock.sleep(10);
      seen.push(`a ${clock.now()}`);
      await clock.sleep(10);
      seen.push(`c ${clock.now()}`);
    };
    const done = Promise.all([clock.sleep(15).then(() => seen.push(`b ${clock.now()}`)), sleepTwice()]);
    await clock.advance(20);
    await done;
    expect(seen).toEqual(['a 1010', 'b 1015', 'c 1020']);
    expect(clock.now()).toBe(1_020);
    expect(clock.sleeping).toBe(0);
  });

  it('resolves a sleep at once when its signal aborts', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const sleep = clock.sleep(60_000, stop.signal);
    stop.abort();
    await sleep;
    expect(clock.sleeping).toBe(0);
  });
});

describe('the other fakes', () => {
  it('give a delayed message only when its delay has passed', async () => {
    const clock = new ManualClock();
    const queue = new MemoryQueue(clock);
    await queue.send({ taskId: 't', turn: 1 }, 5_000);
    expect(queue.take()).toBeUndefined();
    await clock.advance(5_000);
    expect(queue.take()).toEqual({ taskId: 't', turn: 1 });
    expect(queue.take()).toBeUndefined();
  });

  it('wake who waits for the task, and nobody else', async () => {
    const clock = new ManualClock();
    const wake = new MemoryWake(clock);
    const seen: string[] = [];
    const a = wake.wait('a', 1_000).then(() => seen.push('a'));
    const b = wake.wait('b', 1_000).then(() => seen.push('b'));
    wake.notify('b');
    await b;
    expect(seen).toEqual(['b']);
    await clock.advance(1_000);
    await a;
    expect(wake.waiting).toBe(0);
  });

  it('bind what is sealed to its context', async () => {
    const cipher = new PlainCipher();
    const sealed = await cipher.seal('hunter2', 'task-1');
    expect(sealed).not.toContain('hunter2');
    expect(await cipher.open(sealed, 'task-1')).toBe('hunter2');
    await expect(cipher.open(sealed, 'task-2')).rejects.toThrow('another context');
  });

  it('are wired as the dependencies of an operation, with what the test gives in their place', () => {
    const clock = new ManualClock(5);
    const fakes = fakeDeps({ agent, clock });
    const deps: Deps = fakes;
    expect(deps.clock.now()).toBe(5);
    expect(fakes.queue.sent).toEqual([]);
    expect(fakes.store.heads()).toEqual([]);
  });
});
