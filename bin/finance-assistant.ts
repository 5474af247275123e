/**
 * The second half of the worked example: the finance assistant in a stack of its own, which calls the expense agent of
 * the other one. Its worker may send JSON-RPC there, and nothing else of it may anything.
 */
import { fileURLToPath } from 'node:url';
import type { App } from 'aws-cdk-lib';
import { AgentStack, type AgentStackProps } from '../lib/agent-stack.ts';

const FINANCE_ASSISTANT = fileURLToPath(new URL('../examples/finance-assistant/deployed.ts', import.meta.url));

export function addFinanceAssistant(
  app: App,
  expenses: AgentStack,
  { agent, ...props }: Omit<AgentStackProps, 'agent'> & { readonly agent: Omit<AgentStackProps['agent'], 'entry'> },
): AgentStack {
  const name = 'finance-assistant';
  const stack = new AgentStack(app, `askback-${name}`, {
    ...props,
    description: `${name}, an A2A agent on Askback that delegates to the expense agent`,
    agent: {
      ...agent,
      entry: FINANCE_ASSISTANT,
      name,
      // The account has one role for access logs; the other stack has seen to it.
      accountLogRole: false,
      environment: { EXPENSE_AGENT_URL: expenses.agent.api.baseUrl },
    },
  });
  stack.addStackDependency(expenses);
  // The agent card, which it reads first, is public.
  expenses.agent.grantInvoke(stack.agent.functions['run-turn'].role, { binding: 'JSONRPC' });
  return stack;
}
