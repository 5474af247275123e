/** The backstop: finds tasks whose `due` has passed, shard by shard, and does what is due to each. */
import { limits } from '../limits.ts';
import { inParallel } from '../parallel.ts';
import type { Deps } from '../ports.ts';
import { doDue } from './do-due.ts';

/** A sweep that has less time left than this leaves the rest to the next one. */
const RESERVE_MS = 5_000;

type Swept = { readonly found: number; readonly failed: number };

/**
 * A task that fails is logged and counted; it does not keep the others waiting, and neither does a shard.
 * @throws what kept a shard from being swept, once all the others have been
 */
export async function sweep(deps: Deps, budget: { remainingMs(): number }): Promise<Swept> {
  let found = 0;
  let failed = 0;
  const unswept: unknown[] = [];
  for (let shard = 0; shard < limits.dueShards; shard++) {
    try {
      const swept = await sweepShard(deps, shard, budget);
      found += swept.found;
      failed += swept.failed;
    } catch (error) {
      deps.log.error('a shard could not be swept', { shard, error });
      unswept.push(error);
    }
  }
  if (unswept.length > 0) throw unswept[0];
  return { found, failed };
}

async function sweepShard(deps: Deps, shard: number, budget: { remainingMs(): number }): Promise<Swept> {
  let failed = 0;
  const seen = new Set<string>();
  // Tasks that fail stay at the front of the index, and the index lags behind: who was seen is looked past.
  for (let stuck = 0; budget.remainingMs() >= RESERVE_MS; ) {
    const limit = stuck + limits.sweepPage;
    const page = await deps.store.due(shard, deps.clock.now(), limit);
    const fresh = page.filter((taskId) => !seen.has(taskId));
    for (const taskId of fresh) seen.add(taskId);
    failed += await doAll(deps, fresh);
    if (page.length < limit) break;
    stuck = page.length - fresh.length + (fresh.length === 0 ? limits.sweepPage : 0);
  }
  return { found: seen.size, failed };
}

async function doAll(deps: Deps, taskIds: readonly string[]): Promise<number> {
  let failed = 0;
  await inParallel(taskIds, async (taskId) => {
    try {
      await doDue(deps, taskId);
    } catch (error) {
      failed += 1;
      deps.log.error('a due task could not be settled', { taskId, error });
    }
  });
  return failed;
}
