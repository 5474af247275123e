/** What every push store does. */
import { describe, expect, it } from 'vitest';
import type { PushStore, PushTask } from '../../core/push/ports.ts';
import type { PushConfig } from '../../core/push/config.ts';
import { started, type UnderTest } from './under-test.ts';

const full = (id: string, over: Partial<PushConfig> = {}): PushConfig => ({
  id,
  version: 1,
  url: 'https://receiver.example/hook?key=1&grüße=2',
  scheme: 'Bearer',
  sealed: 'v1.sealed',
  cursor: 7,
  lease: { token: 'token-1', untilMs: 1_800_000_030_000 },
  failing: { sinceMs: 1, attempts: 2, retryAtMs: 3, why: 'answered 500' },
  gaveUpAtMs: 4,
  ...over,
});

const task = (taskId: string, bornMs = 1_800_000_000_000): PushTask => ({ taskId, bornMs });

export function pushStoreContract(name: string, start: () => Promise<UnderTest<PushStore>>): void {
  describe(`push store contract: ${name}`, () => {
    const at = started(start);

    it('gives back what was written, every field, and nothing for what was not', async () => {
      const bare: PushConfig = { id: 'bare', version: 1, url: 'https://receiver.example/', cursor: 0 };
      expect(await at.store.put(task('fields'), undefined, full('w-1'))).toBe(true);
      expect(await at.store.put(task('fields'), undefined, bare)).toBe(true);
      expect(await at.store.get(task('fields'), 'w-1')).toStrictEqual(full('w-1'));
      expect(await at.store.get(task('fields'), 'bare')).toStrictEqual(bare);
      expect(await at.store.get(task('fields'), 'w-2')).toBeUndefined();
      expect(await at.store.get(task('other'), 'w-1')).toBeUndefined();
    });

    it('lists the configs of one task in the order of their ids', async () => {
      for (const id of ['b', 'a', 'a-1', 'B']) await at.store.put(task('list'), undefined, full(id));
      await at.store.put(task('list-2'), undefined, full('z'));
      expect((await at.store.list(task('list'))).map(({ id }) => id)).toEqual(['B', 'a', 'a-1', 'b']);
      expect(await at.store.list(task('nobody'))).toEqual([]);
    });

    it('writes only over the version that was read, and answers whether it did', async () => {
      const first = full('w');
      const second = full('w', { version: 2, cursor: 8 });
      await at.store.put(task('versions'), undefined, first);
      expect(await at.store.put(task('versions'), undefined, full('w', { cursor: 1 }))).toBe(false);
      expect(await at.store.put(task('versions'), first, second)).toBe(true);
      expect(await at.store.put(task('versions'), first, full('w', { version: 2, cursor: 1 }))).toBe(false);
      expect(await at.store.get(task('versions'), 'w')).toStrictEqual(second);
      expect(await at.store.put(task('nothing'), first, second)).toBe(false);
    });

    it('lets one of many simultaneous writers win', async () => {
      const first = full('w');
      await at.store.put(task('race'), undefined, first);
      const outcomes = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) => at.store.put(task('race'), first, full('w', { version: 2, cursor: n }))),
      );
      expect(outcomes.filter((won) => won)).toHaveLength(1);
    });

    it('forgets one config and no other; forgetting again is the same', async () => {
      await at.store.put(task('delete'), undefined, full('a'));
      await at.store.put(task('delete'), undefined, full('ab'));
      await at.store.delete(task('delete'), 'a');
      await at.store.delete(task('delete'), 'a');
      expect((await at.store.list(task('delete'))).map(({ id }) => id)).toEqual(['ab']);
      expect(await at.store.put(task('delete'), full('a'), full('a', { version: 2 }))).toBe(false);
    });

    it('keeps the tasks of two births apart: an id that comes back inherits no receiver (section 4)', async () => {
      await at.store.put(task('again', 1), undefined, full('w', { cursor: 1 }));
      expect(await at.store.get(task('again', 2), 'w')).toBeUndefined();
      expect(await at.store.list(task('again', 2))).toEqual([]);
      await at.store.put(task('again', 2), undefined, full('w', { cursor: 2 }));
      expect((await at.store.list(task('again', 1))).map(({ cursor }) => cursor)).toEqual([1]);
    });
  });
}
