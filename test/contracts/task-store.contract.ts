/** What every task store does: writes of the head. The claim: claim.contract.ts; the items beside it: children.contract.ts. */
import { describe, expect, it } from 'vitest';
import { Conflict, type TaskStore } from '../../core/ports.ts';
import { fullHead, next, submittedHead, T0 } from '../support/heads.ts';
import { started, type UnderTest } from './under-test.ts';

export function taskStoreContract(name: string, start: () => Promise<UnderTest<TaskStore>>): void {
  describe(`task store contract, head: ${name}`, () => {
    const at = started(start);

    it('creates a task once; a repeat gets the task that stands (section 4, R82)', async () => {
      const head = submittedHead('create-once');
      expect(await at.store.create(head, [])).toEqual({ created: head });
      const repeat = submittedHead('create-once', { bornMs: T0 + 1, contextId: 'other' });
      expect(await at.store.create(repeat, [])).toEqual({ exists: head });
      expect(await at.store.load('create-once')).toEqual(head);
    });

    it('lets one of many simultaneous creations win (R82)', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => at.store.create(submittedHead('create-race', { bornMs: T0 + n }), [])),
      );
      const created = outcomes.filter((outcome) => 'created' in outcome);
      expect(created).toHaveLength(1);
      const winner = 'created' in created[0]! ? created[0].created : undefined;
      for (const outcome of outcomes) if ('exists' in outcome) expect(outcome.exists).toEqual(winner);
    });

    it('keeps every field of a head as it was given', async () => {
      const head = fullHead('full');
      await at.store.create(head, []);
      expect(await at.store.load('full')).toStrictEqual(head);
    });

    it('keeps absent and empty fields absent and empty', async () => {
      const head = submittedHead('sparse', { marks: [] });
      await at.store.create(head, []);
      expect(await at.store.load('sparse')).toStrictEqual(head);
    });

    it('loads nothing for an id that there is not', async () => {
      expect(await at.store.load('nobody')).toBeUndefined();
    });

    it('saves the next version, which is then the head', async () => {
      const head = submittedHead('save');
      await at.store.create(head, []);
      const saved = await at.store.save(head, next(head, { toldUnread: 3 }));
      expect(saved).toMatchObject({ version: 2, toldUnread: 3 });
      expect(await at.store.load('save')).toEqual(saved);
    });

    it('refuses a save from an old version with the head as it is (S14)', async () => {
      const head = submittedHead('stale');
      await at.store.create(head, []);
      const second = await at.store.save(head, next(head, { toldUnread: 1 }));
      const lost = await at.store.save(head, next(head, { toldUnread: 2 })).catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(Conflict);
      expect((lost as Conflict).actual).toEqual(second);
      expect(await at.store.load('stale')).toEqual(second);
    });

    it('lets one of many simultaneous saves win (S14, R01)', async () => {
      const head = submittedHead('save-race');
      await at.store.create(head, []);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => at.store.save(head, next(head, { toldUnread: n }))),
      );
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Conflict);
      }
      expect(await at.store.load('save-race')).toEqual(won[0]?.value);
    });

    it('refuses a save of a task that is gone, without a head to show', async () => {
      const head = submittedHead('save-gone');
      const lost = await at.store.save(head, next(head)).catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(Conflict);
      expect((lost as Conflict).actual).toBeUndefined();
    });

    it.each([1, 10_000])(
      'refuses a save of version %i over a task of the same id, a retention younger',
      async (version) => {
        const old = submittedHead(`reborn-${version}`, { version });
        const now = submittedHead(old.taskId, { bornMs: T0 + 2_592_000_000 });
        await at.store.create(now, []);
        await expect(at.store.save(old, next(old))).rejects.toBeInstanceOf(Conflict);
        expect(await at.store.load(old.taskId)).toEqual(now);
      },
    );

    it('takes only the version that follows', async () => {
      const head = submittedHead('skip');
      await at.store.create(head, []);
      await expect(at.store.save(head, { ...head, version: 3 })).rejects.toThrow('next.version');
      expect(await at.store.load('skip')).toEqual(head);
    });

    it('shares nothing with its callers', async () => {
      const log = [...submittedHead('shared').log];
      await at.store.create(submittedHead('shared', { log }), []);
      log.pop();
      expect((await at.store.load('shared'))?.log).toHaveLength(1);
    });
  });
}
