/** The backstop: finds tasks whose `due` has passed, shard by shard, and does what is due to each. */
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import { doDue } from './do-due.ts';

const CONCURRENCY = 8;
/** A sweep that has less time left than this leaves the rest to the next one. */
const RESERVE_MS = 5_000;

/** A task that fails is logged and counted; it does not keep the others waiting. */
export async function sweep(deps: Deps, budget: { remainingMs(): number }): Promise<{ found: number; failed: number }> {
  let found = 0;
  let failed = 0;
  for (let shard = 0; shard < limits.dueShards; shard++) {
    const seen = new Set<string>();
    for (;;) {
      if (budget.remainingMs() < RESERVE_MS) return { found, failed };
      const page = await deps.store.due(shard, deps.clock.now(), limits.sweepPage);
      // The index lags behind: what was done a moment ago may be listed once more.
      const fresh = page.filter((taskId) => !seen.has(taskId));
      for (const taskId of fresh) seen.add(taskId);
      found += fresh.length;
      failed += await doAll(deps, fresh);
      if (page.length < limits.sweepPage || fresh.length === 0) break;
    }
  }
  return { found, failed };
}

async function doAll(deps: Deps, taskIds: readonly string[]): Promise<number> {
  let failed = 0;
  const waiting = [...taskIds];
  const worker = async (): Promise<void> => {
    for (let taskId = waiting.shift(); taskId !== undefined; taskId = waiting.shift()) {
      try {
        await doDue(deps, taskId);
      } catch (error) {
        failed += 1;
        deps.log.error('a due task could not be settled', { taskId, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, taskIds.length) }, worker));
  return failed;
}
