import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict } from '../../core/ports.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';
import { twoProcesses } from '../support/two-processes.ts';

const { store, calls, other } = await twoProcesses();
beforeEach(() => {
  calls.sent.length = 0;
  calls.wire = 0;
});

const lease = { token: 'token-a', untilMs: T0 + 70_000 };

describe('what a method costs (section 13)', () => {
  it('create: 1 write', async () => {
    await store.create(submittedHead('cost-create'), []);
    expect(calls.sent).toEqual(['PutItemCommand']);
  });

  it('load: 1 read', async () => {
    await store.load('cost-load');
    expect(calls.sent).toEqual(['GetItemCommand']);
  });

  it('save without children: 1 write', async () => {
    const head = submittedHead('cost-save');
    await other.create(head, []);
    await store.save(head, next(head));
    expect(calls.sent).toEqual(['PutItemCommand']);
  });

  it.each([
    [1, submittedHead('cost-claim-1')],
    [2, answeredHead('cost-claim-2')],
  ])('claim of turn %i: 1 write', async (turn, head) => {
    await other.create(head, []);
    await store.claim(head.taskId, turn, lease, T0);
    expect(calls.sent).toEqual(['UpdateItemCommand']);
  });

  it('putStep: 1 write', async () => {
    const head = submittedHead('cost-step');
    await store.putStep(head, { call: 1, kind: 'step', name: 's', result: { ok: { value: 1 } } });
    expect(calls.sent).toEqual(['PutItemCommand']);
  });

  it('due: 1 read per shard', async () => {
    await store.due(3, T0, 10);
    expect(calls.sent).toEqual(['QueryCommand']);
  });

  it('logBefore: as few pages as the entries need', async () => {
    const head = submittedHead('cost-log');
    const chunks = Array.from({ length: 60 }, (_, n) => ({
      kind: 'log' as const,
      chunk: n,
      entries: [1, 2, 3, 4].map((i) => ({ seq: n * 4 + i, atMs: T0 })),
    }));
    await other.create(head, chunks);
    expect(await store.logBefore(head, 241, 100)).toHaveLength(100);
    expect(await store.logBefore(head, 121, 100)).toHaveLength(100);
    expect(calls.sent).toEqual(['QueryCommand', 'QueryCommand']);
  });
});

describe('a write whose response was lost counts as made (section 8)', () => {
  it('create', async () => {
    const head = submittedHead('lost-create');
    calls.lose = { command: 'PutItemCommand' };
    expect(await store.create(head, [])).toEqual({ created: head });
    expect(calls.wire).toBe(3);
    expect(calls.sent).toEqual(['PutItemCommand', 'GetItemCommand']);
  });

  it('save', async () => {
    const head = submittedHead('lost-save');
    await store.create(head, []);
    calls.lose = { command: 'PutItemCommand' };
    const saved = await store.save(head, next(head, { toldUnread: 1 }));
    expect(saved.version).toBe(2);
    expect(await store.load('lost-save')).toEqual(saved);
  });

  it('save, even when others have written since', async () => {
    const head = submittedHead('lost-save-2');
    await store.create(head, []);
    const meanwhile = async () => {
      for (let n = 0; n < 3; n++) {
        const now = await other.load('lost-save-2');
        await other.save(now!, next(now!));
      }
    };
    calls.lose = { command: 'PutItemCommand', meanwhile };
    expect((await store.save(head, next(head))).version).toBe(2);
    expect((await store.load('lost-save-2'))?.version).toBe(5);
  });

  it('save, even when a worker has claimed the turn since', async () => {
    const head = submittedHead('lost-save-3');
    await store.create(head, []);
    const meanwhile = async () => {
      await other.claim('lost-save-3', 1, lease, T0);
    };
    calls.lose = { command: 'PutItemCommand', meanwhile };
    expect((await store.save(head, next(head))).version).toBe(2);
  });

  it('but a save that did lose is a conflict, response or not', async () => {
    const head = submittedHead('lost-save-4');
    await store.create(head, []);
    const winner = await other.save(head, next(head));
    calls.lose = { command: 'PutItemCommand' };
    const lost = await store.save(head, next(head)).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(Conflict);
    expect((lost as Conflict).actual).toEqual(winner);
  });

  it.each([
    [1, submittedHead('lost-claim-1'), 2],
    [2, answeredHead('lost-claim-2'), 6],
  ])('claim of turn %i: attempts counted once', async (turn, head, version) => {
    await other.create(head, []);
    calls.lose = { command: 'UpdateItemCommand' };
    const claimed = await store.claim(head.taskId, turn, lease, T0);
    expect(claimed).toMatchObject({ version, turn: { n: turn, phase: 'running', attempts: 1, lease } });
    expect(await store.load(head.taskId)).toEqual(claimed);
  });

  it('but a claim that was canceled in between is none', async () => {
    await other.create(submittedHead('lost-claim-3'), []);
    const meanwhile = async () => {
      const now = await other.load('lost-claim-3');
      const status = { state: 'TASK_STATE_CANCELED' as const, atMs: T0, seq: 3 };
      await other.save(now!, next(now!, { status, turn: { n: 1, phase: 'idle', attempts: 0 } }));
    };
    calls.lose = { command: 'UpdateItemCommand', meanwhile };
    expect(await store.claim('lost-claim-3', 1, lease, T0)).toBeUndefined();
  });

  it('putStep', async () => {
    const head = submittedHead('lost-step');
    const record = { call: 1, kind: 'step' as const, name: 's', result: { ok: { value: 1 } } };
    calls.lose = { command: 'PutItemCommand' };
    expect(await store.putStep(head, record)).toEqual(record);
  });

  it('remove', async () => {
    const head = submittedHead('lost-remove');
    await store.create(head, []);
    calls.lose = { command: 'DeleteItemCommand' };
    await store.remove(head);
    expect(calls.lose).toBeUndefined();
    expect(await store.load('lost-remove')).toBeUndefined();
  });
});
