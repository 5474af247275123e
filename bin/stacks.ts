/** From context to stacks: an agent of yours, or the worked example, its ledger and the agent that delegates to it. */
import { fileURLToPath } from 'node:url';
import { type App, RemovalPolicy } from 'aws-cdk-lib';
import { AgentStack } from '../lib/agent-stack.ts';
import { type AppContext, WORKED_EXAMPLE } from './context.ts';
import { addExpenseLedger } from './expense-ledger.ts';
import { addFinanceAssistant } from './finance-assistant.ts';

const EXPENSE_AGENT = fileURLToPath(new URL('../examples/expense-agent/deployed.ts', import.meta.url));

/**
 * The stack of one agent; with nothing said, both halves of the worked example. The finance assistant signs its calls for
 * IAM, so it is left out where callers are known by JWT.
 */
export function addStacks(app: App, context: AppContext): readonly AgentStack[] {
  const stack = addAgentStack(app, context);
  const isWholeExample = context.entry === undefined && context.agent === WORKED_EXAMPLE && context.auth === 'iam';
  return isWholeExample ? [stack, addFinanceAssistant(app, stack, propsOf(context))] : [stack];
}

export function addAgentStack(app: App, context: AppContext): AgentStack {
  const { agent: name, entry } = context;
  const { agent, ...props } = propsOf(context);
  const stack = new AgentStack(app, `askback-${name}`, {
    ...props,
    description: `${name}, an A2A agent on Askback`,
    agent: { ...agent, entry: entry ?? EXPENSE_AGENT, name },
  });
  if (entry === undefined) addExpenseLedger(stack, stack.agent, agent.removalPolicy);
  return stack;
}

/** What all stacks of one app have in common. */
function propsOf(context: AppContext) {
  const { streaming, push, inbox, auth, accountLogRole, alarmTopicArn, cardKeyArn, cardKeysUrl } = context;
  const removalPolicy = context.removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  return {
    agent: { streaming, push, inbox, auth, accountLogRole, removalPolicy, limits: limitsOf(context) },
    ...(alarmTopicArn === undefined ? {} : { alarmTopicArn }),
    ...(cardKeyArn === undefined ? {} : { cardKeyArn }),
    ...(cardKeysUrl === undefined ? {} : { cardKeysUrl }),
  };
}

function limitsOf({ reserveConcurrency }: AppContext) {
  return reserveConcurrency ? {} : { concurrency: false as const };
}
