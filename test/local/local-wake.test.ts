import { expect, test } from 'vitest';
import { LocalWake } from '../../local/local-wake.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';

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
