/** The author's decisions run in the API (`reply`, `onMessage`, `extendedCard`) and must be quick. */
import { RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';

/** @throws RetryableError when the decision takes longer than `limits.decisionMs` */
export async function decide<T>(deps: Deps, decision: Promise<T>, name: string): Promise<T> {
  const over = new AbortController();
  const late = deps.clock.sleep(limits.decisionMs, over.signal).then((): never => {
    throw new RetryableError('AGENT_SLOW', `the agent's ${name} took longer than ${limits.decisionMs} ms`);
  });
  try {
    return await Promise.race([decision, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
