/** The sweep function: invoked at a fixed rate, it does what is due and was not done by a queue or a timer. */
import { sweep } from '../core/operations/sweep.ts';
import type { Deps } from '../core/ports.ts';
import { eventStack, type Handler } from './middleware.ts';

export function sweepHandler(
  deps: Deps,
  run: typeof sweep = sweep,
): Handler<unknown, { found: number; failed: number }> {
  return eventStack(deps.log, async (_event, context) => {
    const swept = await run(deps, { remainingMs: () => context.getRemainingTimeInMillis() });
    if (swept.found > 0 || swept.failed > 0) deps.log.info('swept', { found: swept.found, failed: swept.failed });
    return swept;
  });
}
