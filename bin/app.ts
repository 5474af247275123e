/** The CDK app: a stack for each agent, as `-c name=value` says (bin/context.ts). */
import { App } from 'aws-cdk-lib';
import { readContext } from './context.ts';
import { addStacks } from './stacks.ts';

const app = new App();
addStacks(
  app,
  readContext((name) => app.node.tryGetContext(name)),
);
