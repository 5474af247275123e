/** The CDK app: one stack with one agent, as `-c name=value` says (bin/context.ts). */
import { App } from 'aws-cdk-lib';
import { readContext } from './context.ts';
import { addAgentStack } from './stacks.ts';

const app = new App();
addAgentStack(
  app,
  readContext((name) => app.node.tryGetContext(name)),
);
