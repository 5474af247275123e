/** Messages to a task that is not asking: none is lost, none is read twice, none can end the task by its size. */
import { describe, expect, it } from 'vitest';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sweep } from '../../core/operations/sweep.ts';
import type { FakeDeps } from '../fakes/deps.ts';
import { AMPLE, attacked, first, holding, refusal, said } from './world.ts';

const KIB = 1_024;

/** The worker dies between the record of the read and the write that marks the message as read. */
async function dieWhereReadIsMarked(deps: FakeDeps): Promise<void> {
  let recorded = false;
  deps.store.before = (op) => {
    recorded ||= op === 'putStep';
    if (op === 'save' && recorded) throw new Error('killed');
  };
  await runTurn(deps, deps.queue.take() ?? { taskId: '', turn: 0 }, AMPLE);
  deps.store.before = undefined;
}

/** The lease ends, and the turn is on the queue once more. */
async function tryAgain(deps: FakeDeps): Promise<void> {
  await deps.clock.advance(60_000);
  await sweep(deps, AMPLE);
  await deps.clock.advance(5_000);
}

describe('turn.inbox', () => {
  it('loses no message when a worker back from the dead recorded an older read first (invariants 3 and 8)', async () => {
    const read: string[] = [];
    const { deps, send, deliver } = attacked(
      async (turn) => {
        for (let news = await turn.inbox(); news.length > 0; news = await turn.inbox()) {
          read.push(...news.map(({ messageId }) => messageId));
        }
        await turn.step('end', () => read.splice(0).join());
        await turn.artifact({ name: 'read', text: 'done' });
      },
      { onMessage: 'queue' },
    );
    const task = await send(first);
    await send(said(task, 'm-2', 'one'));
    const dead = holding(deps.store, 'putStep');
    const message = deps.queue.take() ?? { taskId: '', turn: 0 };
    const zombie = runTurn({ ...deps, store: dead.store }, message, AMPLE);
    await dead.held;
    await deps.clock.advance(60_000 - 1);
    await send(said(task, 'm-3', 'two'));
    // The zombie's heartbeats are stopped with it: its lease is cut by hand.
    const head = deps.store.peek(task.id);
    if (!head?.turn.lease) throw new Error('no lease');
    const { lease } = head.turn;
    await deps.store.save(head, {
      ...head,
      version: head.version + 1,
      turn: { ...head.turn, lease: { ...lease, untilMs: deps.clock.now() } },
      dueMs: deps.clock.now(),
    });
    await sweep(deps, AMPLE);
    await deps.clock.advance(5_000);
    const next = holding(deps.store, 'putStep');
    const retry = deps.queue.take() ?? { taskId: '', turn: 0 };
    const living = runTurn({ ...deps, store: next.store }, retry, AMPLE);
    await next.held;
    dead.go();
    await deps.clock.advance(0);
    next.go();
    await Promise.all([living, zombie]);
    await deliver();
    const steps = await deps.store.steps(deps.store.peek(task.id) ?? head);
    const inbox = steps.filter(({ kind }) => kind === 'inbox').map(({ result }) => JSON.stringify(result));
    expect(inbox.join()).toContain('"m-2"');
    expect(inbox.join()).toContain('"m-3"');
    expect(inbox.join().split('"m-2"')).toHaveLength(2);
  });

  it('takes two messages of one id as two where idempotency is off', async () => {
    const read: string[] = [];
    const { deps, send, deliver } = attacked(
      async (turn) => {
        const news = [...(await turn.inbox()), ...(await turn.inbox())];
        read.splice(0, read.length, ...news.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')));
        await turn.artifact({ name: 'read', data: read });
      },
      { onMessage: 'queue', idempotency: 'off' },
    );
    const task = await send(first);
    await send(said(task, 'm-2', 'one'));
    await dieWhereReadIsMarked(deps);
    await send(said(task, 'm-2', 'two'));
    await tryAgain(deps);
    await deliver();
    expect(deps.store.peek(task.id)?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(read).toEqual(['one', 'two']);
  });

  it('loses no message that comes while a read of an attempt that died is marked (invariants 3 and 8)', async () => {
    const { deps, send, deliver, get } = attacked(
      async (turn) => {
        const read: string[] = [];
        for (let news = await turn.inbox(); news.length > 0; news = await turn.inbox()) {
          read.push(...news.map(({ messageId }) => messageId));
        }
        await turn.artifact({ name: 'read', data: read });
      },
      { onMessage: 'queue' },
    );
    const task = await send(first);
    await send(said(task, 'm-2', 'one'));
    await dieWhereReadIsMarked(deps);
    await tryAgain(deps);
    // The next attempt has claimed the turn; it is held where it marks as read what was recorded.
    let saves = 0;
    const message = deps.queue.take() ?? { taskId: '', turn: 0 };
    deps.store.before = async (op) => {
      if (op === 'save' && ++saves === 2) await send(said(task, 'm-3', 'two'));
    };
    await runTurn(deps, message, AMPLE);
    deps.store.before = undefined;
    await deliver();
    const done = await get(task.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual(['m-2', 'm-3']);
  });

  it('that was empty stays so for a step that rests on it: the next worker does its work under the same key', async () => {
    const keys: string[] = [];
    let died: () => void = () => undefined;
    const dead = new Promise<void>((resolve) => {
      died = resolve;
    });
    const { deps, send, deliver, get } = attacked(
      async (turn) => {
        const tell = async (): Promise<boolean> => {
          const news = await turn.inbox();
          for (const { messageId } of news) await turn.artifact({ name: messageId, text: 'read' });
          return news.length > 0;
        };
        await tell();
        await turn.step('pay', async ({ idempotencyKey }) => {
          if (keys.push(idempotencyKey) > 1) return;
          died();
          await new Promise(() => undefined);
        });
        while (await tell());
      },
      { onMessage: 'queue' },
    );
    const task = await send(first);
    void deliver();
    await dead;
    // Its heartbeats do not come through either.
    deps.store.before = (op) => (op === 'save' ? new Promise(() => undefined) : undefined);
    await deps.clock.advance(30_000);
    deps.store.before = undefined;
    await send(said(task, 'm-2', 'wait'));
    await deps.clock.advance(30_000);
    await tryAgain(deps);
    await deliver();
    expect(keys).toEqual([`${task.id}-2`, `${task.id}-2`]);
    expect((await get(task.id)).artifacts?.map(({ name }) => name)).toEqual(['m-2']);
  });

  it('refuses a message that is too large to be kept for the agent, and the task lives on (invariant 9)', async () => {
    const { deps, send, deliver, get } = attacked(
      async (turn) => {
        await turn.artifact({ name: 'read', data: { count: (await turn.inbox()).length } });
      },
      { onMessage: 'queue' },
    );
    const task = await send(first);
    expect(await refusal(send(said(task, 'm-2', 'x'.repeat(1_100 * KIB))))).toMatchObject({ reason: 'INVALID_PARAMS' });
    for (let n = 1; n <= 3; n++) await send(said(task, `m-big-${n}`, 'y'.repeat(900 * KIB)));
    await deliver();
    const done = await get(task.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({ count: 3 });
    expect(deps.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
