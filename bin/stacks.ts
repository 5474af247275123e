/** From context to stack: an agent of yours, or the worked example with its ledger. */
import { fileURLToPath } from 'node:url';
import { type App, RemovalPolicy } from 'aws-cdk-lib';
import { AgentStack } from '../lib/agent-stack.ts';
import type { AppContext } from './context.ts';
import { addExpenseLedger } from './expense-ledger.ts';

const EXPENSE_AGENT = fileURLToPath(new URL('../examples/expense-agent/deployed.ts', import.meta.url));

export function addAgentStack(app: App, context: AppContext): AgentStack {
  const { agent, entry, streaming, push, auth, accountLogRole, alarmTopicArn } = context;
  const removalPolicy = context.removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const stack = new AgentStack(app, `askback-${agent}`, {
    description: `${agent}, an A2A agent on Askback`,
    agent: {
      entry: entry ?? EXPENSE_AGENT,
      name: agent,
      streaming,
      push,
      auth,
      accountLogRole,
      removalPolicy,
      limits: limitsOf(context),
    },
    ...(alarmTopicArn === undefined ? {} : { alarmTopicArn }),
  });
  if (entry === undefined) addExpenseLedger(stack, stack.agent, removalPolicy);
  return stack;
}

function limitsOf({ reserveConcurrency }: AppContext) {
  return reserveConcurrency ? {} : { concurrency: false as const };
}
