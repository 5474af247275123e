/** The CDK app: a stack for each agent, as `-c name=value` says (bin/context.ts). */
import { App } from 'aws-cdk-lib';
import { checkNames, readContext } from './context.ts';
import { addStacks } from './stacks.ts';

const app = new App();
checkNames(Object.keys(app.node.getAllContext() as Readonly<Record<string, unknown>>));
addStacks(
  app,
  readContext((name) => app.node.tryGetContext(name)),
);
