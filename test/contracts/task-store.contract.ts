/** What every task store does: writes of the head, and the claim. The items beside it: children.contract.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Conflict, type TaskStore } from '../../core/ports.ts';
import { answeredHead, fullHead, next, submittedHead, T0 } from '../support/heads.ts';

export interface StoreUnderTest {
  readonly store: TaskStore;
  stop?(): Promise<void>;
}

const lease = { token: 'token-a', untilMs: T0 + 70_000 };

export function taskStoreContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`task store contract, head: ${name}`, () => {
    let under: StoreUnderTest;
    let store: TaskStore;
    beforeAll(async () => {
      under = await start();
      store = under.store;
    });
    afterAll(async () => under.stop?.());

    it('creates a task once; a repeat gets the task that stands (section 4, R82)', async () => {
      const head = submittedHead('create-once');
      expect(await store.create(head, [])).toEqual({ created: head });
      const repeat = submittedHead('create-once', { bornMs: T0 + 1, contextId: 'other' });
      expect(await store.create(repeat, [])).toEqual({ exists: head });
      expect(await store.load('create-once')).toEqual(head);
    });

    it('lets one of many simultaneous creations win (R82)', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.create(submittedHead('create-race', { bornMs: T0 + n }), [])),
      );
      const created = outcomes.filter((outcome) => 'created' in outcome);
      expect(created).toHaveLength(1);
      const winner = 'created' in created[0]! ? created[0].created : undefined;
      for (const outcome of outcomes) if ('exists' in outcome) expect(outcome.exists).toEqual(winner);
    });

    it('keeps every field of a head as it was given', async () => {
      const head = fullHead('full');
      await store.create(head, []);
      expect(await store.load('full')).toStrictEqual(head);
    });

    it('keeps absent and empty fields absent and empty', async () => {
      const head = submittedHead('sparse', { marks: [] });
      await store.create(head, []);
      expect(await store.load('sparse')).toStrictEqual(head);
    });

    it('loads nothing for an id that there is not', async () => {
      expect(await store.load('nobody')).toBeUndefined();
    });

    it('saves the next version, which is then the head', async () => {
      const head = submittedHead('save');
      await store.create(head, []);
      const saved = await store.save(head, next(head, { toldUnread: 3 }));
      expect(saved).toMatchObject({ version: 2, toldUnread: 3 });
      expect(await store.load('save')).toEqual(saved);
    });

    it('refuses a save from an old version with the head as it is (S14)', async () => {
      const head = submittedHead('stale');
      await store.create(head, []);
      const second = await store.save(head, next(head, { toldUnread: 1 }));
      const lost = await store.save(head, next(head, { toldUnread: 2 })).catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(Conflict);
      expect((lost as Conflict).actual).toEqual(second);
      expect(await store.load('stale')).toEqual(second);
    });

    it('lets one of many simultaneous saves win (S14, R01)', async () => {
      const head = submittedHead('save-race');
      await store.create(head, []);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => store.save(head, next(head, { toldUnread: n }))),
      );
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Conflict);
      }
      expect(await store.load('save-race')).toEqual(won[0]?.value);
    });

    it('refuses a save of a task that is gone, without a head to show', async () => {
      const head = submittedHead('save-gone');
      const lost = await store.save(head, next(head)).catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(Conflict);
      expect((lost as Conflict).actual).toBeUndefined();
    });

    it('refuses a save over a newer task of the same id, whatever its version', async () => {
      const old = submittedHead('reborn');
      const now = submittedHead('reborn', { bornMs: T0 + 1 });
      await store.create(now, []);
      await expect(store.save(old, next(old))).rejects.toBeInstanceOf(Conflict);
      expect(await store.load('reborn')).toEqual(now);
    });

    it('takes only the version that follows', async () => {
      const head = submittedHead('skip');
      await store.create(head, []);
      await expect(store.save(head, { ...head, version: 3 })).rejects.toThrow('next.version');
      expect(await store.load('skip')).toEqual(head);
    });

    it('shares nothing with its callers', async () => {
      const log = [...submittedHead('shared').log];
      await store.create(submittedHead('shared', { log }), []);
      log.pop();
      expect((await store.load('shared'))?.log).toHaveLength(1);
    });

    describe('claim', () => {
      it('takes a new task to working with the first event (section 3, 3)', async () => {
        await store.create(submittedHead('claim-first'), []);
        const claimed = await store.claim('claim-first', 1, lease, T0 + 10_000);
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
          marks: [{ id: 'mark-1', digest: 'digest-1' }],
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
          dueMs: 1_800_000_070_000,
        });
        expect(await store.load('claim-first')).toStrictEqual(claimed);
      });

      it('changes lease, attempts, version and due alone on a later turn (section 3, 3)', async () => {
        const head = answeredHead('claim-later');
        await store.create(head, []);
        const claimed = await store.claim('claim-later', 2, lease, T0 + 10_000);
        expect(claimed).toStrictEqual({
          ...head,
          version: 6,
          turn: { n: 2, phase: 'running', attempts: 1, lease: { token: 'token-a', untilMs: 1_800_000_070_000 } },
          dueMs: 1_800_000_070_000,
        });
        expect(await store.load('claim-later')).toStrictEqual(claimed);
      });

      it('claims turn 1 again after an attempt that was given up: no second event', async () => {
        const head = answeredHead('claim-again', {
          turn: { n: 1, phase: 'requested', attempts: 2, dispatch: { dueMs: T0, intervalMs: 120_000 } },
        });
        await store.create(head, []);
        const claimed = await store.claim('claim-again', 1, lease, T0 + 10_000);
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
          turn: { n: 1, phase: 'requested', attempts: 0, dispatch: { dueMs: T0 + 360_000, intervalMs: 240_000 } },
        });
        await store.create(head, []);
        expect(await store.claim('claim-resent', 1, lease, T0)).toMatchObject({ version: 3, seq: 2, generation: 2 });
      });

      it('is followed by a save as any other write is', async () => {
        await store.create(submittedHead('claim-save'), []);
        const claimed = await store.claim('claim-save', 1, lease, T0);
        const saved = await store.save(claimed!, next(claimed!, { turn: { n: 1, phase: 'idle', attempts: 0 } }));
        expect(await store.load('claim-save')).toEqual(saved);
        expect(saved.version).toBe(3);
      });

      it('lets one of many workers with the same message win (R67)', async () => {
        await store.create(submittedHead('claim-race'), []);
        const outcomes = await Promise.all(
          Array.from({ length: 6 }, (_, n) => store.claim('claim-race', 1, { ...lease, token: `token-${n}` }, T0)),
        );
        expect(outcomes.filter((head) => head !== undefined)).toHaveLength(1);
        expect((await store.load('claim-race'))?.version).toBe(2);
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
        ['a new task that a second message has reached', submittedHead('claim-no-8', { seq: 2, version: 2 }), 1],
      ];
      it.each(refused)('refuses %s and changes nothing', async (_, head, turn) => {
        await store.create(head, []);
        expect(await store.claim(head.taskId, turn, { ...lease, token: 'token-b' }, T0)).toBeUndefined();
        expect(await store.load(head.taskId)).toStrictEqual(head);
      });

      it('refuses a task that there is not, and makes none', async () => {
        expect(await store.claim('claim-nobody', 1, lease, T0)).toBeUndefined();
        expect(await store.claim('claim-nobody', 2, lease, T0)).toBeUndefined();
        expect(await store.load('claim-nobody')).toBeUndefined();
      });
    });
  });
}
