/** The limit on how long an author's own code may take (design, section 8). */
import { describe, expect, it } from 'vitest';
import { within } from '../../../core/operations/within.ts';
import { ManualClock, settle } from '../../fakes/manual-clock.ts';

const never = new Promise<never>(() => undefined);
const late = () => new Error('too late');

describe('work with a time limit', () => {
  it('gives what it comes to, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    expect(await within(clock, 1_000, Promise.resolve('done'), late)).toBe('done');
    expect(clock.sleeping).toBe(0);
    await expect(within(clock, 1_000, Promise.reject(new Error('its own')), late)).rejects.toThrow('its own');
    expect(clock.sleeping).toBe(0);
  });

  it('is late once its time is over, and not before', async () => {
    const clock = new ManualClock();
    const seen: unknown[] = [];
    within(clock, 1_000, never, late).catch((error: unknown) => seen.push(error));
    await clock.advance(999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual([new Error('too late')]);
  });

  it('that fails after its time is told to nobody', async () => {
    const clock = new ManualClock();
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const failed = expect(within(clock, 1_000, work, late)).rejects.toThrow('too late');
    await clock.advance(1_000);
    await failed;
    // An unhandled rejection would fail the run.
    fail(new Error('long after'));
    await settle();
  });
});
