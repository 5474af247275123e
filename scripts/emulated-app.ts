/**
 * The CDK app that `npm run verify:deploy` puts into an emulator: the expense agent as bin/app.ts deploys it, and beside
 * it, in the same stack, one whose questions expire soon. Other than in production are only what the emulator does not
 * have: alarms (it knows no metric math), responses that stream, IAM (it lets everybody in, so that test users with bearer tokens take its
 * place), and the option that keeps punctuation out of a secret. `-c baseUrl=...` tells the expense agent where it is.
 */
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IAuthorizer, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { addExpenseLedger } from '../bin/expense-ledger.ts';
import { AskbackAgent } from '../lib/askback-agent.ts';

/** Tokens are those of the local runtime. Who is not known comes in as nobody, for the api function to refuse. */
const AUTHORIZER = `
exports.handler = async ({ headers = {}, methodArn }) => {
  const authorization = headers.Authorization ?? headers.authorization ?? '';
  const [, user] = /^Bearer (alice|bob|carol|other-alice)-token$/.exec(authorization) ?? [];
  const Resource = methodArn.split('/').slice(0, 2).join('/') + '/*';
  const Statement = [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource }];
  const [principal] = user?.split('-').slice(-1) ?? [];
  const tenant = user?.startsWith('other-') ? 'other' : 'local';
  const policyDocument = { Version: '2012-10-17', Statement };
  return { principalId: user ?? 'nobody', policyDocument, context: principal ? { principal, tenant } : {} };
};`;

const stack = new Stack(new App({ analyticsReporting: false }), 'verify');
const handler = new LambdaFunction(stack, 'Authorizer', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline(AUTHORIZER),
});

function users(id: string): IAuthorizer {
  return new RequestAuthorizer(stack, id, {
    handler,
    identitySources: ['method.request.header.Authorization'],
    resultsCacheTtl: Duration.seconds(0),
  });
}

const removalPolicy = RemovalPolicy.DESTROY;
const baseUrl = stack.node.tryGetContext('baseUrl') as string | undefined;
const common = { alarms: false, removalPolicy, streaming: false } as const;
const expense = new AskbackAgent(stack, 'Expense', {
  ...common,
  entry: 'examples/expense-agent/deployed.ts',
  auth: users('ExpenseUsers'),
  ...(baseUrl === undefined ? {} : { baseUrl }),
});
addExpenseLedger(stack, expense, removalPolicy);
const brief = new AskbackAgent(stack, 'Brief', {
  ...common,
  entry: 'scripts/brief-agent.ts',
  auth: users('BriefUsers'),
});

for (const one of stack.node.findAll()) {
  if (!(one instanceof CfnSecret)) continue;
  one.addPropertyOverride('GenerateSecretString.ExcludeCharacters', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
}

const outputs = {
  ExpenseApi: expense.api.api.restApiId,
  ExpenseQueue: expense.turns.queue.queueUrl,
  ExpensePokes: expense.push?.queue.queueUrl ?? '',
  BriefApi: brief.api.api.restApiId,
  BriefTable: brief.tasks.table.tableName,
  BriefTimers: brief.deadlines.targetName,
  BriefSweeps: brief.sweeper.rule.ruleName,
};
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
