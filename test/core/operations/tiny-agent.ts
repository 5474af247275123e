/** The expense agent's shape directly over `TurnHost`: one step, one ask, one step, one artifact. */
import type { Json } from '../../../core/json.ts';
import type { Agent, AgentSettings } from '../../../core/agent.ts';
import type { TurnHost } from '../../../core/turn-host.ts';
import type { AskSpec } from '../../../core/question/types.ts';

export const COST_CENTRE: AskSpec = {
  name: 'cost-centre',
  text: 'Which cost centre should this expense be charged to?',
  schema: {
    type: 'object',
    required: ['costCentre'],
    properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  },
  options: ['CC-4410', 'CC-4420'],
};

export interface TinyAgent extends Agent {
  /** What the outside world saw: one entry per effect that really ran. */
  readonly filed: Json[];
  runs: number;
}

export function tinyAgent(
  options: { readonly spec?: Partial<AskSpec>; readonly settings?: Partial<AgentSettings> } = {},
): TinyAgent {
  const filed: Json[] = [];
  const agent: TinyAgent = {
    name: 'Expense agent',
    card: { name: 'Expense agent', description: 'Files expenses', version: '1.0.0', skills: [] },
    settings: { idempotency: 'on', onMessage: 'reject', ...options.settings },
    filed,
    runs: 0,
    async run(host) {
      agent.runs += 1;
      await step(host, 1, 'read-receipt', () => 42);
      const answered = host.recorded(2);
      if (answered?.kind !== 'ask') return host.ask(2, { ...COST_CENTRE, ...options.spec });
      if (!('outcome' in answered) || !('value' in answered.outcome)) {
        const outcome = 'outcome' in answered ? answered.outcome.outcome : 'checked';
        return host.end('TASK_STATE_REJECTED', `the question was ${outcome}`);
      }
      const { value } = answered.outcome;
      await step(host, 3, 'file', () => {
        filed.push(value);
        return `EXP-${filed.length}`;
      });
      if (!host.recorded(4)) {
        const artifact = { artifactId: 'expense', name: 'expense', parts: [{ data: { expenseId: 'EXP-1' } }] };
        await host.artifact(4, 'expense', { artifact, append: false, lastChunk: true });
      }
    },
  };
  return agent;
}

async function step(host: TurnHost, call: number, name: string, run: () => Json): Promise<void> {
  if (host.recorded(call)) return;
  await host.record(call, 'step', name, { ok: run() });
}
