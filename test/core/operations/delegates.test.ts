/** Sub-tasks over the store: what the head holds of them, how they are waited for, and who is believed (design 12). */
import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { doDue } from '../../../core/operations/do-due.ts';
import { costCentre, delegateWorld } from './delegate-world.ts';
import { alice } from './world.ts';

let w: ReturnType<typeof delegateWorld>;
beforeEach(() => {
  w = delegateWorld();
});

describe('waiting for a sub-task', () => {
  it('holds no worker: the turn ends parked, without a message of its own in the history', async () => {
    await w.send();
    await w.deliver();
    expect(w.head.turn).toEqual({
      n: 2,
      phase: 'parked',
      attempts: 0,
      parked: { for: 'delegate', call: 1, untilMs: w.deps.clock.now() + 2_000 },
    });
    expect(w.head.dueMs).toBe(w.deps.clock.now() + 2_000);
    expect(w.head.status.state).toBe('TASK_STATE_WORKING');
    expect(w.entry).toEqual({
      call: 1,
      n: 1,
      name: 'filing',
      agent: 'expenses',
      openedAtMs: w.deps.clock.now(),
      subTask: { taskId: `sub-of-${w.head.taskId}-1`, contextId: 'sub-ctx' },
      poll: { wait: 2, intervalMs: 2_000 },
    });
    expect(w.head.used.delegates).toBe(1);
  });

  it('looks after 2 s, 4 s, 8 s and so on, at most every 5 minutes', async () => {
    await w.send();
    await w.deliver();
    const waits: number[] = [];
    for (let n = 0; n < 10; n++) {
      const waitMs = (w.head.turn.parked?.untilMs ?? 0) - w.deps.clock.now();
      waits.push(waitMs / 1_000);
      await w.deps.clock.advance(waitMs - 1);
      expect(await w.deliver()).toBe(0);
      await w.deps.clock.advance(1);
      expect(await w.deliver()).toBe(1);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(w.sub.looks).toBe(11);
    expect(w.sub.taken).toHaveLength(1);
  });

  it('goes on by the sweeper where the queue lost the message', async () => {
    await w.send();
    await w.deliver();
    w.deps.queue.lose();
    w.sub.completes({ expenseId: 'EXP-1' });
    await w.deps.clock.advance(2_000);
    await doDue(w.deps, w.head.taskId);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
    expect(w.head.delegates).toBeUndefined();
  });

  it('completes only when the sub-task has, with what came of it', async () => {
    await w.send();
    await w.deliver();
    w.sub.completes({ expenseId: 'EXP-1' });
    await w.deps.clock.advance(2_000);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(w.head.log)).toContain('EXP-1');
  });

  it('takes a first turn’s records up: nothing is sent again', async () => {
    await w.send();
    await w.deliver();
    await w.deps.clock.advance(2_000);
    await w.deliver();
    expect(w.sub.sent).toHaveLength(1);
  });
});

describe('a relayed question', () => {
  it('stands in the head with the sub-task and the question it stands for (R68)', async () => {
    await w.send();
    await w.deliver();
    w.sub.asks({ questionId: 'q-sub-1', schema: costCentre, expiresAtMs: w.deps.clock.now() + 3_600_000 });
    await w.deps.clock.advance(2_000);
    await w.deliver();
    expect(w.head.ask).toMatchObject({
      questionId: `q-${w.head.taskId.slice(0, 16)}-1`,
      relays: { taskId: `sub-of-${w.head.taskId}-1`, questionId: 'q-sub-1' },
      // 59:58 are left, of which 5 % are 2:59.9.
      expiresAtMs: w.deps.clock.now() + 3_598_000 - 179_900,
    });
    expect(w.entry).toBeDefined();
  });

  it('that has expired meanwhile above is overdue at once, never open after the sub-agent’s', async () => {
    await w.send();
    await w.deliver();
    const expiresAtMs = w.deps.clock.now() + 600_000;
    w.sub.asks({ questionId: 'q-sub-1', schema: costCentre, expiresAtMs });
    await w.deps.clock.advance(2_000);
    // The worker dies between the look, which is recorded, and the question.
    let looked = false;
    w.deps.store.before = (op) => {
      looked ||= op === 'putStep';
      if (looked && op === 'save') throw new RetryableError('STORE_UNAVAILABLE', 'down');
    };
    await w.deliver();
    w.deps.store.before = undefined;
    expect(w.head.turn.phase).toBe('running');
    await w.deps.clock.advance(700_000);
    await doDue(w.deps, w.head.taskId);
    await w.deps.clock.advance(10_000);
    await w.deliver();
    expect(w.head.ask).toMatchObject({ expiresAtMs: expiresAtMs - 60_000 });
    await doDue(w.deps, w.head.taskId);
    expect(w.head.status.state).toBe('TASK_STATE_FAILED');
  });
});

describe('a webhook of the other agent', () => {
  beforeEach(async () => {
    w.sub.pushing = true;
    await w.send();
    await w.deliver();
  });

  it('is registered at an address that names task and call, and looking is rare then', async () => {
    expect(w.sub.sent[0]?.pushUrl).toMatch(
      new RegExp(`^https://finance.example/a2a/callbacks/delegate/${w.head.taskId}/1/.+`),
    );
    expect(w.entry).toMatchObject({ pushes: true, poll: { intervalMs: 60_000 } });
  });

  it('wakes the turn, which looks for itself: what the webhook said is not believed', async () => {
    expect(await w.hint()).toBe('done');
    expect(w.head.turn.phase).toBe('requested');
    await w.deliver();
    // It had said "completed", and that was a lie.
    expect(w.head.turn.phase).toBe('parked');
    w.sub.completes({ expenseId: 'EXP-1' });
    await w.hint({ anything: true });
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('with another token, for another task or another call gets the same not-found and changes nothing', async () => {
    const before = w.head;
    const url = w.sub.sent[0]?.pushUrl as string;
    expect(await w.hint({}, `${url}x`)).toBe('not-found');
    expect(await w.hint({}, url.replace('/1/', '/2/'))).toBe('not-found');
    expect(await w.hint({}, url.replace(w.head.taskId, 'aaaaaaaaaaaaaaaaaaaaaaaaaa'))).toBe('not-found');
    expect(w.head).toEqual(before);
  });

  it.each([
    [{ statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } }],
    [{ artifactUpdate: {} }],
    [{ kind: 'status-update', status: { state: 'working' } }],
  ])('about work that goes on wakes nobody: %j', async (body) => {
    const before = w.head;
    expect(await w.hint(body)).toBe('done');
    expect(w.head).toEqual(before);
  });

  it('that comes while a turn runs is not slept through', async () => {
    w.sub.completes({ expenseId: 'EXP-1' });
    const looked = w.sub.get.bind(w.sub);
    // The look sees the task as it was just before; the webhook comes right after it.
    w.sub.get = async (taskId) => {
      const task = await looked(taskId);
      w.sub.get = looked;
      await w.hint();
      return { ...task, status: { ...task.status, state: 'TASK_STATE_WORKING' } };
    };
    await w.deps.clock.advance(60_000);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('that comes to a task that has ended is good, and does nothing', async () => {
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    const before = w.head;
    expect(await w.hint()).toBe('done');
    expect(w.head).toEqual(before);
  });

  it('gets not-found once the task has been kept long enough, though nobody has removed it yet (R52)', async () => {
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    await w.deps.clock.advance(30 * 24 * 3_600_000 - 1);
    expect(await w.hint()).toBe('done');
    await w.deps.clock.advance(1);
    expect(await w.hint()).toBe('not-found');
  });
});
