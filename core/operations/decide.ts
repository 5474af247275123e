/** The author's decisions run in the API (`reply`, `onMessage`, `extendedCard`) and must be quick. */
import { RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import { within } from './within.ts';

/** @throws RetryableError when the decision takes longer than `limits.decisionMs` */
export function decide<T>({ clock }: Deps, decision: Promise<T>, name: string): Promise<T> {
  const text = `the agent's ${name} took longer than ${limits.decisionMs} ms`;
  return within(clock, limits.decisionMs, decision, () => new RetryableError('AGENT_SLOW', text));
}
