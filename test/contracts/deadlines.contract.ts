/** What every implementation of one-shot timers does. */
import { describe, expect, it } from 'vitest';
import type { Deadlines, Timer } from '../../core/ports.ts';

export interface DeadlinesUnderTest {
  readonly deadlines: Deadlines;
  /** Timers that stand, as what the deadline function would be told, with the time in ms. */
  standing(): readonly Timer[];
  /** The next call meets a scheduler that does not answer. Absent where that cannot be. */
  breakNext?(): void;
}

/** An hour after the clock of the suites starts. */
const AT = 1_800_003_600_000;
const timer: Timer = { taskId: 'abcdefghijklmnopqrstuvwxyz', ask: 1, timer: 'expire', atMs: AT };

export function deadlinesContract(name: string, start: () => DeadlinesUnderTest): void {
  describe(`deadlines contract: ${name}`, () => {
    it('makes a timer for its time', async () => {
      const { deadlines, standing } = start();
      await deadlines.set(timer);
      expect(standing()).toEqual([timer]);
    });

    it('makes it once: one that is there counts as made (section 8)', async () => {
      const { deadlines, standing } = start();
      await deadlines.set(timer);
      await deadlines.set({ ...timer, atMs: AT + 60_000 });
      expect(standing()).toEqual([timer]);
    });

    it('keeps the timers of different tasks and asks apart', async () => {
      const { deadlines, standing } = start();
      await deadlines.set(timer);
      await deadlines.set({ ...timer, ask: 2 });
      await deadlines.set({ ...timer, taskId: 'zyxwvutsrqponmlkjihgfedcba' });
      expect(standing()).toHaveLength(3);
      await deadlines.delete({ taskId: timer.taskId, ask: 2, timer: 'expire' });
      expect(standing().map(({ taskId, ask }) => [taskId, ask])).toEqual([
        ['abcdefghijklmnopqrstuvwxyz', 1],
        ['zyxwvutsrqponmlkjihgfedcba', 1],
      ]);
    });

    it('deletes it; one that is not there counts as deleted', async () => {
      const { deadlines, standing } = start();
      await deadlines.set(timer);
      await deadlines.delete(timer);
      await deadlines.delete(timer);
      expect(standing()).toEqual([]);
    });

    it('throws RetryableError when the scheduler does not answer', async ({ skip }) => {
      const { deadlines, standing, breakNext } = start();
      if (!breakNext) return skip();
      const unavailable = { name: 'RetryableError', reason: 'TIMERS_UNAVAILABLE' };
      breakNext();
      await expect(deadlines.set(timer)).rejects.toMatchObject(unavailable);
      await deadlines.set(timer);
      breakNext();
      await expect(deadlines.delete(timer)).rejects.toMatchObject(unavailable);
      expect(standing()).toEqual([timer]);
    });
  });
}
