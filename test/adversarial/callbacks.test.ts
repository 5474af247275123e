/**
 * Whoever knows a callback address, or guesses at one, and posts to it all day: what that may cost (design, sections 10
 * and 12; docs/delegation.md).
 */
import { describe, expect, it } from 'vitest';
import { doDue } from '../../core/operations/do-due.ts';
import { grantAuth } from '../../core/operations/grant-auth.ts';
import { wakeDelegate } from '../../core/operations/wake-delegate.ts';
import { delegateWorld } from '../core/operations/delegate-world.ts';
import { world as authWorld } from '../core/operations/auth-world.ts';

const WRITES = ['save', 'create', 'claim', 'putStep', 'dropSecret', 'dropSecrets', 'remove'];

/** What the calls to the store came to since `from`. */
function cost(calls: readonly { readonly op: string }[], from: number) {
  const since = calls.slice(from).map(({ op }) => op);
  const writes = since.filter((op) => WRITES.includes(op)).length;
  return { reads: since.length - writes, writes };
}

describe('guesses at a callback address', () => {
  it('cost one read each and no write, and get one answer, whatever is wrong with them', async () => {
    const w = authWorld();
    const { place } = await w.waiting();
    const { calls } = w.deps.store;
    const from = calls.length;
    const sends = w.deps.queue.sent.length;
    const guesses = [
      { ...place, token: `${place.token.slice(0, -1)}!` },
      { ...place, token: '' },
      { ...place, id: `${place.id}0` },
      { ...place, id: '__proto__' },
      { ...place, taskId: 'nobody' },
    ];
    for (let round = 0; round < 20; round++) {
      for (const guess of guesses) expect(await grantAuth(w.deps, guess, 'SECRET')).toBe('not-found');
    }
    expect(cost(calls, from)).toEqual({ reads: 100, writes: 0 });
    expect(w.deps.queue.sent).toHaveLength(sends);
    // Nobody is locked out by what others try.
    expect(await grantAuth(w.deps, place, 'good')).toBe('done');
  });

  it('with the good code of an address that is over, cost one read each and no write as well', async () => {
    const w = authWorld();
    const { place } = await w.waiting();
    await grantAuth(w.deps, place, 'good');
    await w.deliver();
    const from = w.deps.store.calls.length;
    for (let round = 0; round < 20; round++) expect(await grantAuth(w.deps, place, 'again')).toBe('gone');
    expect(cost(w.deps.store.calls, from)).toEqual({ reads: 20, writes: 0 });
  });
});

describe('a sub-agent that tells of changes all the time', () => {
  const SPAM = 600;

  it('brings about three looks at once, and then one at ever longer intervals, not one for each', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
    const from = w.deps.store.calls.length;
    const { looks } = w.sub;
    // A notification a second, for ten minutes.
    for (let second = 0; second < SPAM; second++) {
      expect(await w.hint({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } })).toBe('done');
      await w.deliver();
      await w.deps.clock.advance(1_000);
    }
    // Three at once; after 2, 4, 8, 16 and 32 s; then one a minute.
    expect(w.sub.looks - looks).toBe(16);
    // A hint for each look and for the next, the end of each turn, a claim where the look was put off; for others nothing.
    const saved = w.deps.store.calls.slice(from).filter(({ op }) => op === 'save');
    expect(saved).toHaveLength(17 + 16 + 13);
    // It is heard all the same, and no later than it would be without the noise.
    w.sub.completes({ expenseId: 'EXP-1' });
    await w.hint();
    await w.deps.clock.advance(60_000);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('while a turn runs brings about one more look, and three such in a row', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    const look = w.sub.get.bind(w.sub);
    w.sub.get = async (taskId) => {
      for (let n = 0; n < 5; n++) await w.hint();
      return look(taskId);
    };
    await w.send();
    expect(await w.deliver()).toBe(4);
    expect(w.head.turn).toMatchObject({ phase: 'parked', parked: { untilMs: w.deps.clock.now() + 2_000 } });
  });

  it('has a new question of its own heard at once again', async () => {
    const w = delegateWorld({ resolve: () => 'CC-4410' });
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
    for (let n = 0; n < 9; n++) {
      await w.hint();
      await w.deliver();
    }
    expect(w.head.turn.phase).toBe('parked');
    w.sub.asks({
      questionId: 'q-1',
      schema: { type: 'object', properties: { costCentre: {} }, required: ['costCentre'] },
    });
    await w.deps.clock.advance(60_000);
    await w.deliver();
    expect(w.sub.taken).toHaveLength(2);
    w.sub.completes({ expenseId: 'EXP-1' });
    await w.hint();
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is looked at by the sweeper where the queue has lost the look that was put off', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
    for (let n = 0; n < 3; n++) {
      await w.hint();
      await w.deliver();
    }
    w.sub.completes({ expenseId: 'EXP-1' });
    w.deps.queue.failures = 1;
    await w.hint();
    await w.deps.clock.advance(2_000);
    expect(w.head.dueMs).toBe(w.deps.clock.now());
    await doDue(w.deps, w.head.taskId);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('notifications out of order', () => {
  it('before the sub-task is known here: what began it is looked at at once', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    const send = w.sub.send.bind(w.sub);
    w.sub.send = async (message, options) => {
      const reply = await send(message, options);
      w.sub.completes({ expenseId: 'EXP-1' });
      // It is posted before its answer to the message arrives here.
      expect(await w.hint(undefined, options.pushUrl)).toBe('done');
      return 'task' in reply
        ? { task: { ...reply.task, status: { state: 'TASK_STATE_WORKING', timestamp: '' } } }
        : reply;
    };
    await w.send();
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('of an earlier state while a question is open: the question stays, and its answer is taken', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
    w.sub.asks({ questionId: 'q-1', expiresAtMs: w.deps.clock.now() + 3_600_000 });
    await w.hint();
    await w.deliver();
    const asked = w.head;
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    for (const state of ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED']) {
      expect(await w.hint({ task: { status: { state } } })).toBe('done');
    }
    expect(w.head).toEqual(asked);
    w.sub.onAnswer = () => w.sub.completes({ expenseId: 'EXP-1' });
    await w.send([{ data: { questionId: asked.ask?.questionId ?? '', costCentre: 'CC-4410' } }], asked.taskId);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
    expect(w.sub.taken).toHaveLength(2);
  });

  it('a code for one kind of callback opens no other', async () => {
    const w = delegateWorld();
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
    const [taskId = '', id = '', token = ''] = new URL(w.sub.sent[0]?.pushUrl ?? '').pathname.split('/').slice(-3);
    expect(await grantAuth(w.deps, { taskId, id, token }, 'SECRET')).toBe('not-found');
    const auth = authWorld();
    const { place } = await auth.waiting();
    expect(await wakeDelegate(auth.deps, { ...place, body: () => null })).toBe('not-found');
  });
});
