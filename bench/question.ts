/** The work that every contender does: one question with two choices, one answer, one artifact. */
import { defineAgent } from '../agent/define-agent.ts';
import type { Agent } from '../core/agent.ts';
import type { JsonObject } from '../core/json.ts';

export const ASKED_TEXT = 'Which cost centre should this expense be charged to?';
export const REQUEST_TEXT = 'File my taxi receipt from Tuesday, 42 euros';
export const OPTIONS = ['CC-4410', 'CC-4420'] as const;
export const ANSWER = { costCentre: 'CC-4410' } as const;
export const FILED = { expenseId: 'EXP-20481' } as const;

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { costCentre: { type: 'string' } },
  required: ['costCentre'],
  additionalProperties: false,
} as const satisfies JsonObject;

export const CARD = {
  name: 'Bench agent',
  description: 'Asks for a cost centre and files an expense.',
  version: '1.0.0',
  skills: [{ id: 'file-expense', name: 'File an expense', description: 'Files an expense.', tags: ['expenses'] }],
};

/** Asks `rounds` questions, one after the other, then gives its artifact. */
export function askingAgent(rounds = 1): Agent {
  return defineAgent({
    card: CARD,
    async run(turn) {
      for (let round = 1; round <= rounds; round++) {
        await turn.ask(`cost-centre-${round}`, { text: ASKED_TEXT, schema: ANSWER_SCHEMA, options: OPTIONS });
      }
      await turn.artifact({ name: 'expense', data: FILED });
    },
  });
}

/** The same with one question; tells each time the code behind the question runs. */
export function racingAgent(onResumed: (taskId: string) => void): Agent {
  return defineAgent({
    card: CARD,
    async run(turn) {
      await turn.ask('cost-centre', { text: ASKED_TEXT, schema: ANSWER_SCHEMA, options: OPTIONS });
      onResumed(turn.taskId);
      await turn.artifact({ name: 'expense', data: FILED });
    },
  });
}
