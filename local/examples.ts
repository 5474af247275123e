/** The agents of the examples by name, and which of them need others beside them. Says where they are; starts nothing. */
import { fileURLToPath } from 'node:url';

export interface Example {
  /** The agent's module. */
  readonly agent: string;
  /** What to answer to its first question when it is tried with its own example. */
  readonly answer?: string;
  /** Agents that it calls: each runs on a port and in a folder of its own. */
  readonly beside?: readonly Beside[];
}

export interface Beside {
  /** Names the folder. */
  readonly name: string;
  readonly agent: string;
  /** The variable in which the example finds its address. */
  readonly variable: string;
}

const EXPENSE_AGENT = moduleOf('expense-agent');

export const EXAMPLES: Readonly<Record<string, Example>> = {
  expense: { agent: EXPENSE_AGENT, answer: 'CC-4410' },
  booking: { agent: moduleOf('booking-agent') },
  finance: {
    agent: moduleOf('finance-assistant'),
    answer: 'Engineering (CC-4410)',
    beside: [{ name: 'expense-agent', agent: EXPENSE_AGENT, variable: 'EXPENSE_AGENT_URL' }],
  },
};

function moduleOf(folder: string): string {
  return fileURLToPath(new URL(`../examples/${folder}/agent.ts`, import.meta.url));
}
