import { expect, it } from 'vitest';
import { limits } from '../../core/limits.ts';

it('a turn is sent again well before a lease ends: a claim in time leaves what is due, though clocks differ (decision 27)', () => {
  expect(limits.redispatchMs).toBeLessThanOrEqual(limits.leaseMs - 10_000);
});

it('what is to be undone is not sent again while an attempt at it may still run', () => {
  expect(limits.undoRedispatchMs).toBeGreaterThan(limits.undoMs);
});
