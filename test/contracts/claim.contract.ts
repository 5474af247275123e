/** How every task store claims a turn: in one write, without reading first. */
import { describe, expect, it } from 'vitest';
import type { Conflict, TaskStore } from '../../core/ports.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';
import { started, type UnderTest } from './under-test.ts';

const lease = { token: 'token-a', untilMs: T0 + 70_000 };

export function claimContract(name: string, start: () => Promise<UnderTest<TaskStore>>): void {
  describe(`task store contract, claim: ${name}`, () => {
    const at = started(start);

    it('takes a new task to working with the first event (section 3, 3)', async () => {
      await at.store.create(submittedHead('claim-first'), []);
      const claimed = await at.store.claim('claim-first', 1, lease, T0 + 10_000);
      expect(claimed).toStrictEqual({
        taskId: 'claim-first',
        agent: 'Expense agent',
        owner: '4:acme:user-17',
        contextId: 'ctx-claim-first',
        bornMs: 1_800_000_000_000,
        version: 2,
        seq: 2,
        generation: 2,
        status: { state: 'TASK_STATE_WORKING', atMs: 1_800_000_010_000, seq: 2 },
        turn: { n: 1, phase: 'running', attempts: 1, lease: { token: 'token-a', untilMs: 1_800_000_070_000 } },
        calls: [],
        staleTimers: [],
        unread: [],
        marks: [{ id: 'message-id-1', digest: 'digest-1' }],
        log: [
          {
            seq: 1,
            atMs: 1_800_000_000_000,
            generation: 1,
            state: 'TASK_STATE_SUBMITTED',
            received: { value: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'File my taxi receipt' }] } },
          },
          { seq: 2, atMs: 1_800_000_010_000, generation: 2, state: 'TASK_STATE_WORKING' },
        ],
        used: { messages: 1, asks: 0, questions: 0, artifacts: 0, artifactBytes: 0 },
        secrets: false,
        dueMs: 1_800_000_050_000,
      });
      expect(await at.store.load('claim-first')).toStrictEqual(claimed);
    });

    it('changes lease, attempts and version alone on a later turn (section 3, 3)', async () => {
      const head = answeredHead('claim-later');
      await at.store.create(head, []);
      const claimed = await at.store.claim('claim-later', 2, lease, T0 + 10_000);
      expect(claimed).toStrictEqual({
        ...head,
        version: 6,
        turn: { n: 2, phase: 'running', attempts: 1, lease: { token: 'token-a', untilMs: 1_800_000_070_000 } },
      });
      expect(await at.store.load('claim-later')).toStrictEqual(claimed);
    });

    it('claims turn 1 again after an attempt that was given up: no second event', async () => {
      const head = answeredHead('claim-again', {
        turn: { n: 1, phase: 'requested', attempts: 2, dispatch: { dueMs: T0 + 65_000, intervalMs: 60_000 } },
      });
      await at.store.create(head, []);
      const claimed = await at.store.claim('claim-again', 1, lease, T0 + 10_000);
      expect(claimed).toMatchObject({
        version: 6,
        seq: 4,
        generation: 4,
        turn: { n: 1, phase: 'running', attempts: 3 },
        status: { state: 'TASK_STATE_WORKING', atMs: T0 + 5_000, seq: 4 },
      });
      expect(claimed?.log).toEqual(head.log);
    });

    it('claims a new task that the sweeper has sent again', async () => {
      const head = submittedHead('claim-resent', {
        version: 2,
        turn: { n: 1, phase: 'requested', attempts: 0, dispatch: { dueMs: T0 + 181_000, intervalMs: 120_000 } },
        dueMs: T0 + 181_000,
      });
      await at.store.create(head, []);
      const late = { token: 'token-a', untilMs: T0 + 190_000 };
      const claimed = await at.store.claim('claim-resent', 1, late, T0 + 130_000);
      expect(claimed).toMatchObject({ version: 3, seq: 2, generation: 2, dueMs: 1_800_000_181_000 });
    });

    it('claims a new task that messages have reached: they stay in front of the working event', async () => {
      const queued = {
        seq: 2,
        atMs: T0 + 1_000,
        received: { value: { messageId: 'm-2', role: 'ROLE_USER' as const, parts: [] } },
      };
      const head = submittedHead('claim-queued', {
        version: 2,
        seq: 2,
        log: [...submittedHead('').log, queued],
        unread: [2],
      });
      await at.store.create(head, []);
      const claimed = await at.store.claim('claim-queued', 1, lease, T0 + 10_000);
      expect(claimed).toMatchObject({ version: 3, seq: 3, generation: 2, unread: [2] });
      expect(claimed?.status).toEqual({ state: 'TASK_STATE_WORKING', atMs: 1_800_000_010_000, seq: 3 });
      expect(claimed?.log.slice(1)).toEqual([
        queued,
        { seq: 3, atMs: 1_800_000_010_000, generation: 2, state: 'TASK_STATE_WORKING' },
      ]);
      expect(await at.store.load('claim-queued')).toStrictEqual(claimed);
    });

    it('has the receivers of a new task looked after from its working event on', async () => {
      const push = { ids: ['w-1'], check: { atMs: T0 + 5_000, intervalMs: 9_000 }, gaveUp: ['w-1'] };
      await at.store.create(submittedHead('claim-push', { push }), []);
      const claimed = await at.store.claim('claim-push', 1, lease, T0 + 10_000);
      expect(claimed?.push).toEqual({
        ids: ['w-1'],
        check: { atMs: 1_800_000_130_000, intervalMs: 120_000 },
        gaveUp: ['w-1'],
      });
      await at.store.create(answeredHead('claim-push-2', { push }), []);
      expect((await at.store.claim('claim-push-2', 2, lease, T0 + 10_000))?.push).toEqual(push);
    });

    it('shows the claim to all who read, and to who loses against it', async () => {
      const head = submittedHead('claim-shown');
      await at.store.create(head, []);
      const claimed = await at.store.claim('claim-shown', 1, lease, T0);
      expect(await at.store.load('claim-shown')).toStrictEqual(claimed);
      expect(await at.store.loadAll(['claim-shown'])).toStrictEqual([claimed]);
      expect(await at.store.create(head, [])).toStrictEqual({ exists: claimed });
      const lost = await at.store.save(head, next(head)).catch((error: unknown) => error);
      expect((lost as Conflict).actual).toStrictEqual(claimed);
    });

    it('leaves nothing of itself behind the next write, nor in the next claim', async () => {
      await at.store.create(submittedHead('claim-twice'), []);
      const first = await at.store.claim('claim-twice', 1, lease, T0 + 10_000);
      const again = next(first!, {
        turn: { n: 1, phase: 'requested', attempts: 1, dispatch: { dueMs: T0 + 20_000, intervalMs: 5_000 } },
        dueMs: T0 + 20_000,
      });
      await at.store.save(first!, again);
      expect(await at.store.load('claim-twice')).toStrictEqual(again);
      const second = await at.store.claim('claim-twice', 1, { token: 'token-b', untilMs: T0 + 75_000 }, T0 + 15_000);
      expect(second).toStrictEqual({
        ...again,
        version: 4,
        turn: { n: 1, phase: 'running', attempts: 2, lease: { token: 'token-b', untilMs: 1_800_000_075_000 } },
        dueMs: 1_800_000_020_000,
      });
      expect(second?.log).toHaveLength(2);
      const ended = next(second!, { turn: { n: 1, phase: 'idle', attempts: 0 }, dueMs: T0 + 99_000 });
      await at.store.save(second!, ended);
      expect(await at.store.load('claim-twice')).toStrictEqual(ended);
    });

    it('is followed by a save as any other write is', async () => {
      await at.store.create(submittedHead('claim-save'), []);
      const claimed = await at.store.claim('claim-save', 1, lease, T0);
      const saved = await at.store.save(claimed!, next(claimed!, { turn: { n: 1, phase: 'idle', attempts: 0 } }));
      expect(await at.store.load('claim-save')).toEqual(saved);
      expect(saved.version).toBe(3);
    });

    it('lets one of many workers with the same message win (R67)', async () => {
      await at.store.create(submittedHead('claim-race'), []);
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, n) => at.store.claim('claim-race', 1, { ...lease, token: `token-${n}` }, T0)),
      );
      expect(outcomes.filter((head) => head !== undefined)).toHaveLength(1);
      expect((await at.store.load('claim-race'))?.version).toBe(2);
    });

    const refused: [string, ReturnType<typeof submittedHead>, number][] = [
      ['a message of an earlier turn (R67)', answeredHead('claim-no-1'), 1],
      ['a message of a turn that has not come', submittedHead('claim-no-2'), 2],
      [
        'a turn that is leased',
        answeredHead('claim-no-3', { turn: { n: 2, phase: 'running', attempts: 1, lease } }),
        2,
      ],
      [
        'a turn that is parked',
        answeredHead('claim-no-4', {
          turn: { n: 2, phase: 'parked', attempts: 1, parked: { for: 'retry', untilMs: T0 } },
        }),
        2,
      ],
      ['a turn that is idle', answeredHead('claim-no-5', { turn: { n: 2, phase: 'idle', attempts: 0 } }), 2],
      [
        'a task that has ended (R85)',
        answeredHead('claim-no-6', { status: { state: 'TASK_STATE_CANCELED', atMs: T0, seq: 4 } }),
        2,
      ],
      [
        'a new task that has ended (R85)',
        submittedHead('claim-no-7', { status: { state: 'TASK_STATE_CANCELED', atMs: T0, seq: 1 } }),
        1,
      ],
    ];
    it.each(refused)('refuses %s and changes nothing', async (_, head, turn) => {
      await at.store.create(head, []);
      expect(await at.store.claim(head.taskId, turn, { ...lease, token: 'token-b' }, T0)).toBeUndefined();
      expect(await at.store.load(head.taskId)).toStrictEqual(head);
    });

    it.each([
      ['is later than the lease ends', 1, T0 + 70_001],
      ['is later than the lease ends, on a later turn', 2, T0 + 70_001],
    ] as const)('leaves it to a load and a save where what is due %s', async (_, turn, dueMs) => {
      const head = (turn === 1 ? submittedHead : answeredHead)(`claim-due-${turn}-${dueMs}`, { dueMs });
      await at.store.create(head, []);
      expect(await at.store.claim(head.taskId, turn, lease, T0)).toBeUndefined();
      expect(await at.store.load(head.taskId)).toStrictEqual(head);
    });

    it.each([
      [1, T0 - 1],
      [1, T0 + 70_000],
      [2, T0 - 1],
      [2, T0 + 70_000],
    ] as const)('of turn %i leaves what is due at %i', async (turn, dueMs) => {
      const head = (turn === 1 ? submittedHead : answeredHead)(`claim-kept-${turn}-${dueMs}`, { dueMs });
      await at.store.create(head, []);
      expect(await at.store.claim(head.taskId, turn, lease, T0)).toMatchObject({
        dueMs,
        turn: { phase: 'running', lease },
      });
    });

    it('refuses a task that there is not, and makes none', async () => {
      expect(await at.store.claim('claim-nobody', 1, lease, T0)).toBeUndefined();
      expect(await at.store.claim('claim-nobody', 2, lease, T0)).toBeUndefined();
      expect(await at.store.load('claim-nobody')).toBeUndefined();
    });
  });
}
