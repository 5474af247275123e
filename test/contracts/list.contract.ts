/** What every task store does with an owner's tasks as the indexes have them (design, section 4; A2A 3.1.4). */
import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../core/message.ts';
import type { TaskStore } from '../../core/ports.ts';
import type { ListPosition, TaskFilter } from '../../core/task-list.ts';
import { next, submittedHead, T0 } from '../support/heads.ts';
import { started, type UnderTest } from './under-test.ts';

const AGENT = 'Expense agent';
const WORKING: TaskState = 'TASK_STATE_WORKING';
const COMPLETED: TaskState = 'TASK_STATE_COMPLETED';

export function listContract(name: string, start: () => Promise<UnderTest<TaskStore>>): void {
  describe(`task store contract, lists: ${name}`, () => {
    const at = started(start);

    /** Tasks `<prefix>-00` and on, of the given times after T0. */
    async function tasks(owner: string, prefix: string, offsets: readonly number[], over: { contextId?: string } = {}) {
      const heads = offsets.map((offset, n) =>
        submittedHead(`${prefix}-${String(n).padStart(2, '0')}`, {
          owner,
          ...over,
          status: { state: n % 2 === 0 ? WORKING : COMPLETED, atMs: T0 + offset, seq: 1 },
        }),
      );
      await Promise.all(heads.map((head) => at.store.create(head, [])));
      return heads;
    }

    async function allPages(filter: TaskFilter, limit: number): Promise<string[][]> {
      const pages: string[][] = [];
      let after: ListPosition | undefined;
      do {
        const { found, more } = await at.store.ownerTasks(filter, after, limit);
        pages.push(found.map(({ taskId, atMs }) => `${taskId}@${atMs - T0}`));
        after = more;
      } while (after && pages.length < 100);
      return pages;
    }

    it('are of one owner, newest status first, equal times in the order of ids, over all shards', async () => {
      const owner = '4:acme:list-order';
      await tasks(owner, 'order', [30, 10, 20, 20, 40]);
      await tasks('4:acme:list-other', 'order-other', [35]);
      expect(await allPages({ owner, agent: AGENT }, 10)).toEqual([
        ['order-04@40', 'order-00@30', 'order-02@20', 'order-03@20', 'order-01@10'],
      ]);
    });

    it('come in pages without gap or repeat, and the last full page is known to be the last', async () => {
      const owner = '4:acme:list-pages';
      await tasks(owner, 'pages', [6, 5, 4, 3, 2, 1]);
      expect(await allPages({ owner, agent: AGENT }, 2)).toEqual([
        ['pages-00@6', 'pages-01@5'],
        ['pages-02@4', 'pages-03@3'],
        ['pages-04@2', 'pages-05@1'],
      ]);
      expect(await allPages({ owner, agent: AGENT }, 4)).toEqual([
        ['pages-00@6', 'pages-01@5', 'pages-02@4', 'pages-03@3'],
        ['pages-04@2', 'pages-05@1'],
      ]);
    });

    it('may all be of one millisecond', async () => {
      const owner = '4:acme:list-ties';
      await tasks(
        owner,
        'ties',
        Array.from({ length: 30 }, () => 7),
      );
      const expected = Array.from({ length: 30 }, (_, n) => `ties-${String(n).padStart(2, '0')}@7`);
      expect((await allPages({ owner, agent: AGENT }, 4)).flat()).toEqual(expected);
    });

    it('are filtered by state, context, agent and time, the time itself included', async () => {
      const owner = '4:acme:list-filter';
      await tasks(owner, 'filter', [1, 2, 3, 4]);
      await tasks(owner, 'filter-c', [5, 6], { contextId: 'trip to Zürich' });
      const of = async (filter: Partial<TaskFilter>) => (await allPages({ owner, agent: AGENT, ...filter }, 3)).flat();
      expect(await of({ state: COMPLETED })).toEqual(['filter-c-01@6', 'filter-03@4', 'filter-01@2']);
      expect(await of({ contextId: 'trip to Zürich' })).toEqual(['filter-c-01@6', 'filter-c-00@5']);
      expect(await of({ contextId: 'trip to Zürich', state: WORKING })).toEqual(['filter-c-00@5']);
      expect(await of({ sinceMs: T0 + 4 })).toEqual(['filter-c-01@6', 'filter-c-00@5', 'filter-03@4']);
      expect(await of({ sinceMs: T0 + 7 })).toEqual([]);
      expect(await of({ agent: 'Another agent' })).toEqual([]);
      expect((await of({ state: 'TASK_STATE_REJECTED' })).length).toBe(0);
    });

    it('find what is rare among many', async () => {
      const owner = '4:acme:list-rare';
      const heads = await tasks(
        owner,
        'rare',
        Array.from({ length: 60 }, (_, n) => n * 2),
      );
      const rare = heads[2];
      if (!rare) throw new Error('no such task');
      await at.store.save(rare, next(rare, { status: { ...rare.status, state: 'TASK_STATE_REJECTED' } }));
      const filter: TaskFilter = { owner, agent: AGENT, state: 'TASK_STATE_REJECTED' };
      expect((await allPages(filter, 1)).flat()).toEqual(['rare-02@4']);
      expect(await at.store.countOwnerTasks(filter, 1_000)).toBe(1);
    });

    it('go on behind a place that no task holds any more', async () => {
      const owner = '4:acme:list-moved';
      const heads = await tasks(owner, 'moved', [3, 2, 1]);
      const { more } = await at.store.ownerTasks({ owner, agent: AGENT }, undefined, 1);
      const [newest] = heads;
      if (!newest) throw new Error('no such task');
      await at.store.save(newest, next(newest, { status: { ...newest.status, atMs: T0 + 99 } }));
      const { found } = await at.store.ownerTasks({ owner, agent: AGENT }, more, 5);
      expect(found.map(({ taskId }) => taskId)).toEqual(['moved-01', 'moved-02']);
    });

    it('are empty when `after` lies before everything that is asked for', async () => {
      const owner = '4:acme:list-before';
      await tasks(owner, 'before', [5]);
      const filter: TaskFilter = { owner, agent: AGENT, sinceMs: T0 + 5 };
      expect(await at.store.ownerTasks(filter, { atMs: T0 + 4, taskId: 'x' }, 5)).toEqual({ found: [] });
    });

    it('are counted by the same filters, up to a bound', async () => {
      const owner = '4:acme:list-count';
      await tasks(
        owner,
        'count',
        Array.from({ length: 9 }, (_, n) => n),
      );
      const filter: TaskFilter = { owner, agent: AGENT };
      expect(await at.store.countOwnerTasks(filter, 1_000)).toBe(9);
      expect(await at.store.countOwnerTasks({ ...filter, state: COMPLETED }, 1_000)).toBe(4);
      expect(await at.store.countOwnerTasks({ ...filter, sinceMs: T0 + 7 }, 1_000)).toBe(2);
      expect(await at.store.countOwnerTasks({ ...filter, owner: '4:acme:nobody' }, 1_000)).toBe(0);
      expect(await at.store.countOwnerTasks(filter, 4)).toBeLessThanOrEqual(4);
    });

    it('of a context are found by its owner only, at most so many', async () => {
      const contextId = 'shared name';
      await tasks('4:acme:ctx-a', 'ctx-a', [1, 2, 3], { contextId });
      await tasks('4:acme:ctx-b', 'ctx-b', [1], { contextId });
      expect(await at.store.contextTasks('4:acme:ctx-a', contextId, 10)).toEqual(['ctx-a-00', 'ctx-a-01', 'ctx-a-02']);
      expect(await at.store.contextTasks('4:acme:ctx-a', contextId, 2)).toHaveLength(2);
      expect(await at.store.contextTasks('4:acme:ctx-b', contextId, 10)).toEqual(['ctx-b-00']);
      expect(await at.store.contextTasks('4:acme:ctx-b', 'other', 10)).toEqual([]);
    });

    it('of a context that was made for its first task are found, that one among them', async () => {
      const owner = '4:acme:made';
      const first = 'abcdefghijklmnopqrstuvwxyz';
      const contextId = `ctx-${first}`;
      await at.store.create(submittedHead(first, { owner, contextId }), []);
      await tasks(owner, 'made', [1, 2], { contextId });
      expect((await at.store.contextTasks(owner, contextId, 10)).toSorted()).toEqual([first, 'made-00', 'made-01']);
      expect(await at.store.contextTasks(owner, contextId, 2)).toHaveLength(2);
    });

    it('load many heads at once: those that there are, each once', async () => {
      const heads = await tasks(
        '4:acme:load-all',
        'load',
        Array.from({ length: 99 }, (_, n) => n),
      );
      const ids = heads.map((head) => head.taskId);
      const loaded = await at.store.loadAll([...ids, 'load-00', 'nobody', 'load-01', 'nobody else']);
      expect(loaded.map((head) => head.taskId).sort()).toEqual(ids);
      expect(loaded.find((head) => head.taskId === 'load-07')).toStrictEqual(heads[7]);
      expect(await at.store.loadAll([])).toEqual([]);
      const [first] = loaded;
      if (!first) throw new Error('nothing loaded');
      expect((await at.store.save(first, next(first, { toldUnread: 1 }))).version).toBe(2);
    });
  });
}
