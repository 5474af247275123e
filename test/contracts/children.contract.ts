/** What every task store does with the items beside the head, with what is due, and with removal. */
import { describe, expect, it } from 'vitest';
import { Conflict, type TaskStore } from '../../core/ports.ts';
import type { Child, LogEntry, StepRecord } from '../../core/task.ts';
import { next, submittedHead, T0 } from '../support/heads.ts';
import { started, type UnderTest } from './under-test.ts';

function step(call: number, ok: StepRecord['result'] = { ok: { value: `result ${call}` } }): StepRecord {
  return { call, kind: 'step', name: `step-${call}`, result: ok };
}

function entries(from: number, to: number): LogEntry[] {
  return Array.from({ length: to - from + 1 }, (_, n) => ({ seq: from + n, atMs: T0 + from + n }));
}

/** The chunk that holds entries 1 to 4 is number 0. */
function chunk(n: number): Child {
  return { kind: 'log', chunk: n, entries: entries(n * 4 + 1, n * 4 + 4) };
}

export function childrenContract(name: string, start: () => Promise<UnderTest<TaskStore>>): void {
  describe(`task store contract, items beside the head: ${name}`, () => {
    const at = started(start);

    async function created(taskId: string, children: readonly Child[] = []) {
      const head = submittedHead(taskId);
      await at.store.create(head, children);
      return head;
    }

    it('writes the children of a save and shows them', async () => {
      const head = await created('children');
      const saved = await at.store.save(head, next(head, { secrets: true }), [
        { kind: 'blob', hash: 'h1', json: '{"text":"grüße"}' },
        chunk(0),
        { kind: 'step', record: step(1) },
        { kind: 'secret', id: 's1', sealed: 'sealed text' },
        { kind: 'mark', mark: { id: 'm1', digest: 'd1', hidden: true } },
      ]);
      expect(await at.store.blob(saved, 'h1')).toBe('{"text":"grüße"}');
      expect(await at.store.logBefore(saved, 5, 10)).toEqual(entries(1, 4));
      expect(await at.store.steps(saved)).toEqual([step(1)]);
      expect(await at.store.secret(saved, 's1')).toBe('sealed text');
      expect(await at.store.mark(saved, 'm1')).toEqual({ id: 'm1', digest: 'd1', hidden: true });
    });

    it('has no blob, secret or entry that nobody wrote', async () => {
      const head = await created('no-children');
      expect(await at.store.blob(head, 'h1')).toBeUndefined();
      expect(await at.store.secret(head, 's1')).toBeUndefined();
      expect(await at.store.mark(head, 'm1')).toBeUndefined();
      expect(await at.store.logBefore(head, 100, 10)).toEqual([]);
      expect(await at.store.steps(head)).toEqual([]);
    });

    describe('steps', () => {
      it('are all there, in order of their calls', async () => {
        const head = await created('steps');
        for (const call of [10, 2, 1, 100]) await at.store.putStep(head, step(call));
        expect((await at.store.steps(head)).map((record) => record.call)).toEqual([1, 2, 10, 100]);
      });

      it('keep results that look like nothing (R56)', async () => {
        const head = await created('falsy');
        for (const [n, value] of [false, 0, '', null, []].entries()) {
          await at.store.putStep(head, step(n + 1, { ok: { value } }));
        }
        expect((await at.store.steps(head)).map((record) => record.result)).toEqual([
          { ok: { value: false } },
          { ok: { value: 0 } },
          { ok: { value: '' } },
          { ok: { value: null } },
          { ok: { value: [] } },
        ]);
      });

      it('are recorded once: the second writer gets the record that stands (section 4)', async () => {
        const head = await created('step-twice');
        const first = step(1, { ok: { value: 'first' } });
        expect(await at.store.putStep(head, first)).toEqual(first);
        expect(await at.store.putStep(head, step(1, { error: { name: 'E', message: 'm' } }))).toEqual(first);
        expect(await at.store.steps(head)).toEqual([first]);
      });

      it('are recorded once by simultaneous writers, who all get the same', async () => {
        const head = await created('step-race');
        const results = await Promise.all(
          Array.from({ length: 6 }, (_, n) => at.store.putStep(head, step(1, { ok: { value: n } }))),
        );
        expect(new Set(results.map((record) => JSON.stringify(record))).size).toBe(1);
      });

      it('stay as they are when a save brings the same call again', async () => {
        const head = await created('step-save');
        await at.store.putStep(head, step(1, { ok: { value: 'first' } }));
        const saved = await at.store.save(head, next(head), [{ kind: 'step', record: step(1) }]);
        expect(await at.store.steps(saved)).toEqual([step(1, { ok: { value: 'first' } })]);
      });

      it('bring the blobs that they name', async () => {
        const head = await created('step-blob');
        const record = step(1, { ok: { blob: 'h-step', bytes: 9_000 } });
        await at.store.putStep(head, record, [{ kind: 'blob', hash: 'h-step', json: '"large"' }]);
        expect(await at.store.blob(head, 'h-step')).toBe('"large"');
      });
    });

    describe('log', () => {
      it.each([
        [13, 100, [1, 12]],
        [13, 3, [10, 12]],
        [13, 4, [9, 12]],
        [13, 5, [8, 12]],
        [11, 3, [8, 10]],
        [9, 2, [7, 8]],
        [6, 10, [1, 5]],
        [2, 10, [1, 1]],
        [100, 2, [11, 12]],
      ])('gives of entries below %i the newest %i, newest last', async (beforeSeq, limit, [first, last]) => {
        const head = await created('log', [chunk(0), chunk(1), chunk(2)]);
        expect(await at.store.logBefore(head, beforeSeq, limit)).toEqual(entries(first!, last!));
      });

      it('gives nothing below the first entry, and nothing for a limit of none', async () => {
        const head = await created('log-none', [chunk(0)]);
        expect(await at.store.logBefore(head, 1, 10)).toEqual([]);
        expect(await at.store.logBefore(head, 5, 0)).toEqual([]);
      });

      it('is whole over more chunks than one page brings', async () => {
        const chunks = Array.from({ length: 40 }, (_, n) => chunk(n));
        const head = await created('log-long', chunks);
        expect(await at.store.logBefore(head, 161, 1_000)).toEqual(entries(1, 160));
        expect(await at.store.logBefore(head, 161, 100)).toEqual(entries(61, 160));
      });

      it('may be written again with the same bytes', async () => {
        const head = await created('log-again', [chunk(0)]);
        const saved = await at.store.save(head, next(head), [chunk(0)]);
        expect(await at.store.logBefore(saved, 5, 10)).toEqual(entries(1, 4));
      });
    });

    describe('blobs', () => {
      it('of 1 MB come back as they went, characters of several bytes included (R76)', async () => {
        const json = JSON.stringify('héllo wörld €'.repeat(62_000));
        const head = await created('blob-large', [{ kind: 'blob', hash: 'large', json }]);
        expect(await at.store.blob(head, 'large')).toBe(json);
      });

      it('survive a repeat of the creation that wrote them (R82)', async () => {
        const blob: Child = { kind: 'blob', hash: 'receipt', json: '"image"' };
        const head = await created('blob-repeat', [blob]);
        await at.store.create(submittedHead('blob-repeat', { bornMs: T0 + 5_000 }), [blob]);
        expect(await at.store.blob(head, 'receipt')).toBe('"image"');
      });

      it('are not mixed up where one name begins with another', async () => {
        const head = await created('blob-names', [
          { kind: 'blob', hash: 'ab', json: '1' },
          { kind: 'blob', hash: 'abc', json: '2' },
        ]);
        expect(await at.store.blob(head, 'ab')).toBe('1');
        expect(await at.store.blob(head, 'a')).toBeUndefined();
      });
    });

    it('forgets one secret and leaves the others; one that is not there counts as forgotten', async () => {
      const head = await created('secret-1', [
        { kind: 'secret', id: 'a', sealed: 'x' },
        { kind: 'secret', id: 'b', sealed: 'y' },
      ]);
      await at.store.dropSecret(head.taskId, 'a');
      await at.store.dropSecret(head.taskId, 'a');
      expect(await at.store.secret(head, 'a')).toBeUndefined();
      expect(await at.store.secret(head, 'b')).toBe('y');
    });

    it('forgets the secrets of one task and of no other', async () => {
      const head = await created('secrets-1', [
        { kind: 'secret', id: 'a', sealed: 'x' },
        { kind: 'secret', id: 'b', sealed: 'y' },
        { kind: 'step', record: step(1) },
      ]);
      const other = await created('secrets-2', [{ kind: 'secret', id: 'a', sealed: 'z' }]);
      await at.store.dropSecrets('secrets-1');
      await at.store.dropSecrets('secrets-1');
      expect(await at.store.secret(head, 'a')).toBeUndefined();
      expect(await at.store.secret(head, 'b')).toBeUndefined();
      expect(await at.store.steps(head)).toHaveLength(1);
      expect(await at.store.secret(other, 'a')).toBe('z');
    });

    describe('due', () => {
      const shards = [0, 1, 2, 3, 4, 5, 6, 7];
      async function dueAt(nowMs: number, limit = 100): Promise<string[]> {
        return (await Promise.all(shards.map((shard) => at.store.due(shard, nowMs, limit)))).flat();
      }

      it('finds the tasks whose time has come, each in one shard', async () => {
        for (let n = 1; n <= 20; n++) await at.store.create(submittedHead(`due-${n}`, { dueMs: n }), []);
        expect((await dueAt(10)).sort()).toEqual(
          ['due-1', 'due-2', 'due-3', 'due-4', 'due-5', 'due-6', 'due-7', 'due-8', 'due-9', 'due-10'].sort(),
        );
        expect(await dueAt(0)).toEqual([]);
      });

      it('gives the earliest of a shard first, at most as many as asked for', async () => {
        for (const shard of shards) {
          const all = await at.store.due(shard, 20, 100);
          const times = all.map((taskId) => Number(taskId.slice('due-'.length)));
          expect(times).toEqual([...times].sort((a, b) => a - b));
          expect(await at.store.due(shard, 20, 1)).toEqual(all.slice(0, 1));
        }
        expect(await dueAt(20, 0)).toEqual([]);
      });

      it('follows the head', async () => {
        const head = submittedHead('due-moves', { dueMs: 30 });
        await at.store.create(head, []);
        await at.store.save(head, next(head, { dueMs: T0 }));
        expect(await dueAt(40)).not.toContain('due-moves');
      });
    });

    describe('removal', () => {
      const everything: Child[] = [
        { kind: 'blob', hash: 'h', json: '1' },
        chunk(0),
        ...Array.from({ length: 30 }, (_, n): Child => ({ kind: 'step', record: step(n + 1) })),
        { kind: 'secret', id: 's', sealed: 'x' },
      ];

      it('takes the head and all that is beside it, and may be repeated', async () => {
        const head = await created('remove', everything);
        await at.store.remove(head);
        expect(await at.store.load('remove')).toBeUndefined();
        expect(await at.store.steps(head)).toEqual([]);
        expect(await at.store.logBefore(head, 100, 10)).toEqual([]);
        expect(await at.store.blob(head, 'h')).toBeUndefined();
        expect(await at.store.secret(head, 's')).toBeUndefined();
        await at.store.remove(head);
      });

      it('leaves a task that has changed as it is', async () => {
        const head = await created('remove-stale', everything);
        const saved = await at.store.save(head, next(head));
        const lost = await at.store.remove(head).catch((error: unknown) => error);
        expect(lost).toBeInstanceOf(Conflict);
        expect((lost as Conflict).actual).toEqual(saved);
        expect(await at.store.load('remove-stale')).toEqual(saved);
        expect(await at.store.steps(saved)).toHaveLength(30);
      });

      it('leaves nothing for a task of the same id, even from a writer back from the dead (section 4)', async () => {
        const old = await created('again', everything);
        await at.store.remove(old);
        await at.store.putStep(old, step(1, { ok: { value: 'old' } }));
        await at.store.putStep(old, step(2, { ok: { value: 'old' } }), [
          chunk(1),
          { kind: 'secret', id: 's', sealed: 'x' },
        ]);
        const now = submittedHead('again', { bornMs: T0 + 60_000 });
        await at.store.create(now, []);
        expect(await at.store.steps(now)).toEqual([]);
        expect(await at.store.logBefore(now, 100, 10)).toEqual([]);
        expect(await at.store.secret(now, 's')).toBeUndefined();
        expect(await at.store.putStep(now, step(1, { ok: { value: 'new' } }))).toEqual(
          step(1, { ok: { value: 'new' } }),
        );
        await expect(at.store.putStep(old, step(1))).rejects.toBeInstanceOf(Conflict);
        const kept = await at.store.save(now, next(now), [chunk(1)]);
        await at.store.save(old, next(old), [{ ...chunk(1), entries: [] } as Child]).catch(() => undefined);
        expect(await at.store.logBefore(kept, 100, 10)).toEqual(entries(5, 8));
        expect(await at.store.steps(now)).toEqual([step(1, { ok: { value: 'new' } })]);
      });
    });
  });
}
