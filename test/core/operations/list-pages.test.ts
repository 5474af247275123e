/** The pages of ListTasks on the core with fakes: their tokens, and what they show while tasks change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listTasks } from '../../../core/operations/list-tasks.ts';
import { PlainSigner } from '../../fakes/plain-signer.ts';
import { T0 } from '../../support/heads.ts';
import { bob, ids, listed, refusal, WORKING } from './listed.ts';
import { alice } from './world.ts';

describe('page tokens', () => {
  it('fit their list alone: no other owner, filter, agent or secret', async () => {
    const { deps, list } = await listed({ a: 1, b: 2, c: 3 });
    const { nextPageToken: pageToken } = await list({ pageSize: 1 });
    const wrong = [
      list({ pageSize: 1, pageToken }, bob),
      list({ pageSize: 1, pageToken }, { tenant: 'other', principal: 'alice' }),
      list({ pageSize: 1, pageToken, status: WORKING }),
      list({ pageSize: 1, pageToken, contextId: 'ctx-a' }),
      list({ pageSize: 1, pageToken, sinceMs: T0 }),
      list({ pageSize: 1, pageToken: `${pageToken}x` }),
      list({ pageSize: 1, pageToken: `${pageToken}.x` }),
      list({ pageSize: 1, pageToken: pageToken.replace('.', '') }),
      list({ pageSize: 1, pageToken: 'made up' }),
      list({ pageSize: 1, pageToken: 'bWFkZQ.dXA' }),
      listTasks({ ...deps, signer: new PlainSigner('another') }, alice, { pageToken }),
      listTasks({ ...deps, agent: { ...deps.agent, name: 'Travel agent' } }, alice, { pageToken }),
    ];
    for (const one of wrong) {
      expect(await refusal(one)).toMatchObject({ reason: 'INVALID_PARAMS', violations: [{ field: 'pageToken' }] });
    }
    expect(ids(await list({ pageSize: 2, pageToken }))).toEqual(['b', 'a']);
  });

  it('do not take another place in exchange for the signed one', async () => {
    const { list } = await listed({ a: 1, b: 2, c: 3 });
    const { nextPageToken } = await list({ pageSize: 1 });
    const [payload = '', code = ''] = nextPageToken.split('.');
    const [form, atMs, taskId] = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify([form, atMs, taskId, 99])).toString('base64url');
    expect(await refusal(list({ pageToken: `${forged}.${code}` }))).toMatchObject({ reason: 'INVALID_PARAMS' });
  });
});

describe('while tasks change', () => {
  it('whatever does not change is shown once, and nothing is shown twice on one page', async () => {
    const taskIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const moves = fc.array(fc.record({ taskId: fc.constantFrom(...taskIds), at: fc.integer({ min: 10, max: 12 }) }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 7, maxLength: 7 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(moves, { minLength: 7, maxLength: 7 }),
        fc.boolean(),
        async (offsets, pageSize, movesAfter, byContext) => {
          const contextId = byContext ? { contextId: 'trip' } : {};
          const { list, move } = await listed(
            Object.fromEntries(taskIds.map((taskId, n) => [taskId, offsets[n] ?? 0])),
            { contextId: 'trip' },
          );
          const moved = new Set<string>();
          const seen: string[] = [];
          let pageToken = '';
          for (const changes of movesAfter) {
            const page = await list({ ...contextId, pageSize, ...(pageToken ? { pageToken } : {}) });
            expect(page.totalSize).toBe(7);
            expect(new Set(ids(page)).size).toBe(page.tasks.length);
            seen.push(...ids(page));
            pageToken = page.nextPageToken;
            if (pageToken === '') break;
            for (const { taskId, at } of changes) {
              moved.add(taskId);
              await move(taskId, at);
            }
          }
          for (const taskId of taskIds.filter((one) => !moved.has(one))) {
            expect(seen.filter((one) => one === taskId)).toEqual([taskId]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
