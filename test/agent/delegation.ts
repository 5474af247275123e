/** One agent that delegates to one sub-agent in memory, and what came of each turn. */
import { defineAgent } from '../../agent/define-agent.ts';
import type { DelegateOptions, DelegateResult } from '../../agent/delegate.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Agent } from '../../core/agent.ts';
import { FakeTask, type Left } from './fake-host.ts';
import { FakeSubAgent } from './fake-sub-agent.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

export const START_MS = 1_800_000_000_000;
export const HOUR_MS = 3_600_000;
export const costCentre = {
  type: 'object',
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['costCentre'],
} as const;
const ours = { type: 'object', properties: { centre: { type: 'string' } }, required: ['centre'] } as const;

export interface Played {
  readonly task: FakeTask;
  readonly sub: FakeSubAgent;
  readonly results: DelegateResult[];
  readonly errors: unknown[];
  turn(): Promise<Left>;
}

export function play(options: Partial<DelegateOptions> = {}, code?: (turn: Turn) => Promise<void>): Played {
  const task = new FakeTask();
  task.nowMs = START_MS;
  const sub = new FakeSubAgent();
  const results: DelegateResult[] = [];
  const errors: unknown[] = [];
  const run =
    code ??
    (async (turn: Turn) => {
      try {
        results.push(await turn.delegate('filing', { agent: 'expenses', message: 'File it', ...options }));
      } catch (error) {
        errors.push(error);
      }
    });
  const agent: Agent = defineAgent({
    card: PLAIN_CARD,
    agents: { expenses: sub },
    run,
  });
  return { task, sub, results, errors, turn: () => task.turn(agent) };
}

export const relayed: Partial<DelegateOptions> = {
  restate: () => ({ text: 'Which centre should finance charge?', schema: ours }),
  translate: (answer) => ({ costCentre: (answer as { readonly centre: string }).centre }),
};
