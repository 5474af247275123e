import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import type { TaskHead } from '../../core/task.ts';
import { transition } from '../../core/transition/transition.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';
import { answeredHead, submittedHead, T0 } from '../support/heads.ts';

// The contract pins what every store's claim does; this pins that a worker which falls back to load and save does the same.
const told = { ids: ['w'], check: { atMs: T0 + 5_000, intervalMs: 120_000 } };
/** Its time passes before the lease ends: the claim does not look at it, and neither may the transition. */
const seat = { call: 1, n: 1, name: 'seat', state: 'held', untilMs: T0 + 20_000, value: { value: '12A' } } as const;
const { log } = submittedHead('');
const queued = { seq: 2, atMs: T0 + 1_000, received: { blob: 'hash', bytes: 2_000 } };
/** Twenty messages of 1 KB: any other move would take some of them out of the head, for which a claim writes no items. */
const many = Array.from({ length: 20 }, (_, n) => ({
  seq: n + 2,
  atMs: T0 + 1_000,
  received: { value: { messageId: `m-${n}`, role: 'ROLE_USER' as const, parts: [{ text: 'x'.repeat(900) }] } },
}));
const poke = { kind: 'poke-push', taskId: 'first-with-receivers', configIds: ['w'] };

const heads: readonly (readonly [TaskHead, readonly object[]])[] = [
  [submittedHead('first-claim'), []],
  [submittedHead('first-with-messages', { version: 2, seq: 2, log: [...log, queued], unread: [2] }), []],
  [submittedHead('first-with-many', { version: 21, seq: 21, log: [...log, ...many] }), []],
  [submittedHead('first-with-receivers', { push: told }), [poke]],
  [submittedHead('first-after-attempts', { turn: { n: 1, phase: 'requested', attempts: 2 } }), []],
  [answeredHead('later-claim'), []],
  [answeredHead('later-with-receivers', { push: told }), []],
  [answeredHead('later-with-a-hold', { holds: [seat] }), []],
  [answeredHead('later-after-attempts', { turn: { n: 2, phase: 'requested', attempts: 3 } }), []],
];

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

describe('a claim by the store on dynalite and one by the transition make the same head (section 3, 3)', () => {
  it.each(heads.map(([head, effects]) => ({ taskId: head.taskId, head, effects })))('$taskId', async (one) => {
    const { head, effects } = one;
    const store = new DynamoTaskStore({ client: dynamo.client, tableName: dynamo.tableName });
    await store.create(head, []);
    const lease = { token: 'token-a', untilMs: T0 + 70_000 };
    const claimed = await store.claim(head.taskId, head.turn.n, lease, T0 + 10_000);
    const moved = transition(head, { type: 'claim', turn: head.turn.n, ...lease }, T0 + 10_000);
    expect(moved).toMatchObject({ ok: true, children: [], effects });
    expect('head' in moved && moved.head).toStrictEqual(claimed);
    expect(await store.load(head.taskId)).toStrictEqual(claimed);
  });
});
