/** Sub-tasks that are given up: canceled below after the task above has changed, however often it takes (design 12). */
import { beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../agent/define-agent.ts';
import { RetryableError } from '../../../core/errors.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { doDue } from '../../../core/operations/do-due.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { runUndo } from '../../../core/operations/undo.ts';
import type { TaskHead } from '../../../core/task.ts';
import { FakeSubAgent } from '../../agent/fake-sub-agent.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { costCentre, delegateWorld } from './delegate-world.ts';
import { AMPLE, alice, text } from './world.ts';
import { PLAIN_CARD } from '../../support/plain-card.ts';

let w: ReturnType<typeof delegateWorld>;
beforeEach(() => {
  w = delegateWorld();
});

describe('a sub-task that nobody waits for any more', () => {
  it('is canceled when the task is: canceled first, then the sub-task (S24, R85)', async () => {
    await w.send();
    await w.deliver();
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    expect(w.head.status.state).toBe('TASK_STATE_CANCELED');
    expect(w.entry?.undo).toMatchObject({ why: 'end', attempts: 0 });
    expect(w.sub.canceled).toEqual([]);
    await w.deliver();
    expect(w.sub.canceled).toEqual([`sub-of-${w.head.taskId}-1`]);
    expect(w.head.delegates).toBeUndefined();
  });

  it('is canceled when a relayed question expires above: the task fails, nothing is left below', async () => {
    await w.send();
    await w.deliver();
    w.sub.asks({ questionId: 'q-sub-1', schema: costCentre, expiresAtMs: w.deps.clock.now() + 600_000 });
    await w.deps.clock.advance(2_000);
    await w.deliver();
    await w.deps.clock.advance(540_000);
    await doDue(w.deps, w.head.taskId);
    expect(w.head.status.state).toBe('TASK_STATE_FAILED');
    await w.deliver();
    expect(w.sub.canceled).toHaveLength(1);
  });

  it('is canceled also where its id is in no head: from the record of the call that began it', async () => {
    await w.send();
    // The worker dies right after it has recorded what it began.
    w.deps.store.before = (op) => {
      if (op === 'save' && w.sub.sent.length > 0) throw new RetryableError('STORE_UNAVAILABLE', 'down');
    };
    await w.deliver();
    w.deps.store.before = undefined;
    expect(w.entry?.subTask).toBeUndefined();
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    await w.deliver();
    expect(w.sub.sent).toHaveLength(1);
    expect(w.sub.canceled).toEqual([`sub-of-${w.head.taskId}-1`]);
  });

  it('is canceled also where nobody knows whether it was begun: the same message is sent again', async () => {
    await w.send();
    w.deps.store.before = (op) => {
      if (op === 'putStep') throw new RetryableError('STORE_UNAVAILABLE', 'down');
    };
    await w.deliver();
    w.deps.store.before = undefined;
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    await w.deliver();
    expect(w.sub.sent.map(({ message }) => message.messageId)).toEqual([`${w.head.taskId}-1`, `${w.head.taskId}-1`]);
    expect(w.sub.tasks.size).toBe(1);
    expect(w.sub.tasks.get(w.sub.id)?.status.state).toBe('TASK_STATE_CANCELED');
    expect(w.head.delegates).toBeUndefined();
  });

  it('is canceled again and again while its agent is down, and then given up, for a person to look at', async () => {
    await w.send();
    await w.deliver();
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    w.sub.faults = Array.from({ length: 8 }, () => ({ retryable: true }));
    for (let hour = 0; hour < 8; hour++) {
      await w.deliver();
      await w.deps.clock.advance(900_000);
    }
    expect(w.entry?.undo).toMatchObject({ attempts: 8, gaveUp: true });
    expect(w.dead).toHaveLength(1);
    expect(w.deps.log.counted('UndosGivenUp')).toBe(1);
    // The message comes back from the dead letters when the agent is up again.
    await runUndo(w.deps, { taskId: w.head.taskId, undo: { of: 'delegate', n: 1 } });
    expect(w.sub.canceled).toHaveLength(1);
    expect(w.head.delegates).toBeUndefined();
  });

  it('does not hold the task up that went on without it: the debt is in the head beside it', async () => {
    w = delegateWorld({ restate: () => undefined });
    await w.send();
    await w.deliver();
    w.sub.asks({ questionId: 'q-sub-1', schema: costCentre });
    await w.deps.clock.advance(2_000);
    await w.deliver();
    expect(w.head.status.state).toBe('TASK_STATE_FAILED');
    expect(w.sub.canceled).toHaveLength(1);
    expect(w.head.delegates).toBeUndefined();
  });
});

describe('limits of delegation', () => {
  it('a task has at most 8 sub-tasks at once; one more is a fault of the author', async () => {
    const { sub, deps, send, deliver, head } = manyAtOnce(9);
    await send();
    await deliver();
    expect(head().status.state).toBe('TASK_STATE_FAILED');
    expect(sub.tasks.size).toBe(8);
    await deliver();
    expect(sub.canceled).toHaveLength(8);
    expect(deps.log.lines.map(({ fields }) => String(fields.error)).join()).toContain(
      'a task may delegate at most 20 sub-tasks, 8 of them at once; "n8" is over',
    );
  });

  it('a large first message lies beside the head until the sub-task is known', async () => {
    w = delegateWorld({ message: 'x'.repeat(200_000) });
    await w.send();
    w.deps.store.before = (op) => {
      if (op === 'putStep') throw new RetryableError('STORE_UNAVAILABLE', 'down');
    };
    await w.deliver();
    w.deps.store.before = undefined;
    expect(w.entry?.message).toMatchObject({ bytes: 200_085 });
    expect(JSON.stringify(w.head).length).toBeLessThan(3_000);
    await cancelTask(w.deps, alice, { id: w.head.taskId });
    await w.deliver();
    expect(w.sub.sent[1]?.message.parts[0]?.text).toHaveLength(200_000);
  });
});

function manyAtOnce(count: number) {
  const sub = new FakeSubAgent();
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { expenses: sub },
    async run(turn) {
      const names = Array.from({ length: count }, (_, n) => `n${n}`);
      await Promise.all(names.map((name) => turn.delegate(name, { agent: 'expenses', message: name })));
    },
  });
  const deps = fakeDeps({ agent });
  return {
    sub,
    deps,
    head: () => deps.store.heads()[0] as TaskHead,
    async send() {
      const message = { messageId: 'm-1', role: 'ROLE_USER' as const, parts: [text('go')] };
      await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
    },
    async deliver() {
      for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
      for (let next = deps.queue.takeUndo(); next; next = deps.queue.takeUndo()) await runUndo(deps, next);
    },
  };
}
