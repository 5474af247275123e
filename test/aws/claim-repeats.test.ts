/**
 * A claim whose response was lost is sent again by the SDK, after others have written over it: it is still this worker's
 * as long as its lease stands, and what the others wrote stands too.
 */
import { describe, expect, it } from 'vitest';
import type { TaskHead } from '../../core/task.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';
import { twoProcesses } from '../support/two-processes.ts';

const lease = { token: 'token-a', untilMs: T0 + 70_000 };
const again = { n: 1, phase: 'requested', attempts: 1, dispatch: { dueMs: T0 + 50_000, intervalMs: 50_000 } } as const;

const { store, calls, other } = await twoProcesses();

/** What the worker gets whose claim was made, then `meanwhile` was written over it, then the claim was repeated. */
async function repeated(head: TaskHead, meanwhile: (now: TaskHead) => TaskHead): Promise<TaskHead | undefined> {
  await other.create(head, []);
  const write = async () => {
    const now = (await other.load(head.taskId)) as TaskHead;
    await other.save(now, meanwhile(now));
  };
  calls.lose = { command: 'UpdateItemCommand', meanwhile: write };
  const claimed = await store.claim(head.taskId, head.turn.n, lease, T0 + 10_000);
  expect(calls.lose).toBeUndefined();
  return claimed;
}

describe('a claim that is repeated', () => {
  it.each([
    ['a new task', submittedHead('repeat-new'), 3],
    ['an answered task', answeredHead('repeat-answered'), 7],
    [
      'turn 1 of a task that works',
      answeredHead('repeat-again', { turn: { ...again, dispatch: { dueMs: T0 + 55_000, intervalMs: 50_000 } } }),
      7,
    ],
  ])('of %s is made, although a message has come since', async (_, head, version) => {
    const claimed = await repeated(head, (now) => next(now, { unread: [9], dueMs: T0 + 70_000 }));
    expect(claimed).toMatchObject({ version, unread: [9], dueMs: T0 + 70_000, turn: { phase: 'running', lease } });
    expect(claimed?.turn.attempts).toBe(head.turn.attempts + 1);
    expect(await other.load(head.taskId)).toEqual(claimed);
    const saved = await store.save(claimed as TaskHead, next(claimed as TaskHead, { unread: [] }));
    expect(await other.load(head.taskId)).toEqual(saved);
  });

  it('is none where another worker has the lease since', async () => {
    const theirs = { token: 'token-b', untilMs: T0 + 80_000 };
    const claimed = await repeated(submittedHead('repeat-taken'), (now) =>
      next(now, { turn: { n: 1, phase: 'running', attempts: 2, lease: theirs } }),
    );
    expect(claimed).toBeUndefined();
    expect((await other.load('repeat-taken'))?.turn).toMatchObject({ attempts: 2, lease: theirs });
  });

  it('is none where the turn was given up and is due later than the lease would end', async () => {
    const later = { ...again, dispatch: { dueMs: T0 + 70_001, intervalMs: 50_000 } };
    const claimed = await repeated(submittedHead('repeat-late'), (now) =>
      next(now, { turn: later, dueMs: T0 + 70_001 }),
    );
    expect(claimed).toBeUndefined();
    expect((await other.load('repeat-late'))?.turn).toEqual(later);
  });
});

describe('the tasks of one owner with two agents in one table', () => {
  const owner = '4:acme:two-agents';
  const ids = async (agent: string) => {
    const found: string[] = [];
    let after: { atMs: number; taskId: string } | undefined;
    do {
      const page = await store.ownerTasks({ owner, agent }, after, 3);
      found.push(...page.found.map(({ taskId }) => taskId));
      after = page.more;
    } while (after);
    return found;
  };

  it('are listed and counted by agent, although all end in the same millisecond', async () => {
    for (let n = 0; n < 12; n++) {
      const agent = n % 3 === 0 ? 'A' : 'A4';
      await other.create(submittedHead(`two-${String(n).padStart(2, '0')}`, { owner, agent }), []);
    }
    expect((await ids('A')).sort()).toEqual(['two-00', 'two-03', 'two-06', 'two-09']);
    expect(await ids('A4')).toHaveLength(8);
    expect(await store.countOwnerTasks({ owner, agent: 'A' }, 1_000)).toBe(4);
    expect(await store.countOwnerTasks({ owner, agent: 'A4' }, 1_000)).toBe(8);
    expect(await ids('')).toEqual([]);
  });
});
