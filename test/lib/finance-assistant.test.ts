/** `cdk deploy --all`: the worked example whole, the one agent calling the other (design 12). */
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addStacks } from '../../bin/stacks.ts';
import { unbundledApp } from './stacks.ts';

const stacksOf = (values: Record<string, unknown> = {}) =>
  addStacks(
    unbundledApp(),
    readContext((name) => values[name]),
  );

describe('the stacks of the app', () => {
  it('are both halves of the worked example; whoever deploys the second deploys the first before it', () => {
    const [expenses, finance] = stacksOf();
    expect([expenses, finance].map((stack) => stack?.stackName)).toEqual([
      'askback-expense-agent',
      'askback-finance-assistant',
    ]);
    expect(finance?.dependencies).toEqual([expenses]);
  });

  it('leave cdk-nag nothing that has not been answered', () => {
    const app = unbundledApp();
    addStacks(
      app,
      readContext(() => undefined),
    );
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  it.each([
    [{ agent: 'rooms' }],
    [{ entry: 'examples/expense-agent/deployed.ts', agent: 'rooms' }],
    // The finance assistant signs for IAM, and has no token of that issuer.
    [{ issuer: 'https://login.example.com', audience: 'expenses' }],
  ])('are one where something else is meant: %j', (values) => {
    expect(stacksOf(values)).toHaveLength(1);
  });
});

describe('the finance assistant', () => {
  const [, finance] = stacksOf();
  const template = Template.fromStack(finance as NonNullable<typeof finance>);

  it('is told where the expense agent is, in every function that loads it', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function')) as LambdaFunction[];
    expect(functions).toHaveLength(5);
    for (const { Properties } of functions) {
      const url = JSON.stringify(Properties.Environment.Variables.EXPENSE_AGENT_URL);
      expect(url).toMatch(/"Fn::ImportValue":"askback-expense-agent:/);
      expect(url).toMatch(/\/a2a"/);
    }
  });

  it('may send JSON-RPC there from its worker, and nothing else of it may', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([, policy]) =>
      JSON.stringify(policy).includes('execute-api'),
    ) as [string, Policy][];
    expect(policies.map(([id]) => id)).toEqual([expect.stringMatching(/^AgentWorkerRole/)]);
    const [invoke] = policies.flatMap(([, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter(({ Action }) => Action === 'execute-api:Invoke'),
    );
    const [, parts] = invoke?.Resource['Fn::Join'] ?? ['', []];
    expect(parts[0]).toBe('arn:');
    expect(String(parts.at(-1))).toMatch(/\/POST\/$/);
    expect(JSON.stringify(parts)).not.toContain('*');
  });
});

interface LambdaFunction {
  readonly Properties: { readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> } };
}

interface Policy {
  readonly Properties: {
    readonly PolicyDocument: {
      readonly Statement: readonly {
        readonly Action: unknown;
        readonly Resource: { readonly 'Fn::Join': readonly [string, readonly unknown[]] };
      }[];
    };
  };
}
