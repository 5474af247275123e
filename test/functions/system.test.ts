import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock, systemIds } from '../../functions/system.ts';

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

test('ids are 24 characters of base64url, and no two of a thousand are the same', () => {
  const ids = Array.from({ length: 1_000 }, () => systemIds.unique());
  expect(ids.filter((id) => !/^[A-Za-z0-9_-]{24}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});
