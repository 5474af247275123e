import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LocalWake } from '../../local/local-wake.ts';
import { systemClock } from '../../local/system-clock.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

test('a sleep longer than one timer of Node (24.8 days) lasts as long as it should', async () => {
  let awake = false;
  void systemClock.sleep(30 * 86_400_000).then(() => (awake = true));
  await vi.advanceTimersByTimeAsync(30 * 86_400_000 - 1);
  expect(awake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(awake).toBe(true);
});

test('a sleep ends at once when its signal aborts, and leaves no timer', async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(60_000, stop.signal);
  stop.abort();
  await sleeping;
  await systemClock.sleep(60_000, stop.signal);
  expect(vi.getTimerCount()).toBe(0);
});

test('whoever waits for a task is woken by it and by no other, or when the time is over', async () => {
  const clock = new ManualClock();
  const wake = new LocalWake(clock);
  const woken: string[] = [];
  void wake.wait('a', 1_000).then(() => woken.push('a'));
  void wake.wait('b', 1_000).then(() => woken.push('b'));
  wake.notify('a');
  await settle();
  expect(woken).toEqual(['a']);
  await clock.advance(1_000);
  expect(woken).toEqual(['a', 'b']);
  expect(clock.sleeping).toBe(0);
});

test('a wait ends when its signal aborts', async () => {
  const wake = new LocalWake(new ManualClock());
  const stop = new AbortController();
  const waiting = wake.wait('a', 1_000, stop.signal);
  stop.abort();
  await waiting;
  await wake.wait('a', 1_000, stop.signal);
});
