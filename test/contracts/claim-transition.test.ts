import { expect, it } from 'vitest';
import { transition } from '../../core/transition/transition.ts';
import { MemoryTaskStore } from '../fakes/memory-store.ts';
import { answeredHead, submittedHead, T0 } from '../support/heads.ts';

// The contract pins what every store's claim does; this pins that a worker which falls back to load and save does the same.
const told = { ids: ['w'], check: { atMs: T0 + 5_000, intervalMs: 120_000 } };
/** Its time passes before the lease ends: the claim does not look at it, and neither may the transition. */
const seat = { call: 1, n: 1, name: 'seat', state: 'held', untilMs: T0 + 20_000, value: { value: '12A' } } as const;
it.each([
  submittedHead('first-claim'),
  answeredHead('later-claim'),
  answeredHead('with-receivers', { push: told }),
  answeredHead('with-a-hold', { holds: [seat] }),
])('a claim by the store and one by the transition make the same head (section 3, 3): $taskId', async (head) => {
  const store = new MemoryTaskStore();
  await store.create(head, []);
  const lease = { token: 'token-a', untilMs: T0 + 70_000 };
  const claimed = await store.claim(head.taskId, head.turn.n, lease, T0 + 10_000);
  const moved = transition(head, { type: 'claim', turn: head.turn.n, ...lease }, T0 + 10_000);
  expect(moved).toMatchObject({ ok: true, children: [], effects: [] });
  expect('head' in moved && moved.head).toEqual(claimed);
});
