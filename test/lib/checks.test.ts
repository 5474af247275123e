/** What others say about the template: cdk-nag's AwsSolutions, and the CDK's own check of it against CloudFormation. */
import { createRequire } from 'node:module';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { cdkJson } from './cdk-json.ts';

function appOf(context: Record<string, unknown> = {}): App {
  const app = new App({
    analyticsReporting: false,
    context: {
      ...cdkJson.context,
      'aws:cdk:bundling-stacks': [],
      '@aws-cdk/core:strictCfnValidateErrors': true,
      ...context,
    },
  });
  addAgentStack(
    app,
    readContext((name) => context[name]),
  );
  return app;
}

interface Acknowledged {
  readonly path: string;
  readonly id: string;
  readonly reason: string;
}

function acknowledged(app: App): Acknowledged[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries(data as Record<string, string>).map(([id, reason]) => ({
          path: node.path.replace('askback-expense-agent/Agent/', ''),
          id: id.replace('Annotation::AwsSolutions-', ''),
          reason,
        })),
      ),
  );
}

describe('cdk-nag, AwsSolutions', () => {
  it('finds nothing that has not been answered', () => {
    const app = appOf();
    const { success, violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(violations).toEqual([]);
    expect(success).toBe(true);
  });

  it('and would find something', () => {
    const app = appOf();
    const names = (scope: App) =>
      new AwsSolutionsChecks(scope).validateScope(scope).violations.map((one) => one.ruleName);
    const table = app.node
      .findAll()
      .find(({ node }) => node.path === 'askback-expense-agent/Agent/Tasks/Table/Resource');
    Object.assign(table as object, { pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: false } });
    expect(names(app)).toEqual(['AwsSolutions-DDB3']);
  });

  it('every answer has its reason, at the place it is about', () => {
    const timers =
      'IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/askbackexpenseagent-Agent-Deadlines-96C0E41A/*]';
    const all = acknowledged(appOf());
    expect(all.map(({ path, id }) => `${path}: ${id}`)).toEqual([
      'SecretKey/Secret: SMG4',
      'ApiFunction/Role: IAM5[Resource::*]',
      `ApiFunction/Role: ${timers}`,
      'Worker/Role: IAM5[Resource::*]',
      `Worker/Role: ${timers}`,
      'Deadline/Role: IAM5[Resource::*]',
      `Deadline/Role: ${timers}`,
      'Sweep/Role: IAM5[Resource::*]',
      `Sweep/Role: ${timers}`,
      'DeliverPush/Role: IAM5[Resource::*]',
      'Api: APIG2',
      'Api: APIG3',
      'Api: APIG6',
      'Api: COG4',
      'Api: IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      'Api/Api/Default/.well-known/agent-card.json/GET: APIG4',
      'Api/Api/Default/callbacks/{proxy+}/ANY: APIG4',
    ]);
    for (const { reason } of all) expect(reason.length).toBeGreaterThan(50);
  });
});

describe('CloudFormation, as the CDK knows it', () => {
  it('has nothing against the template', { timeout: 120_000 }, () => {
    expect(() => appOf().synth()).not.toThrow();
  });
});

describe('cdk.json', () => {
  it('decides every feature flag of the CDK, so that none is left to a default and `cdk` says nothing of them', () => {
    const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json') as object;
    expect(Object.keys(recommended).filter((flag) => !(flag in cdkJson.context))).toEqual([]);
    const others = Object.entries(recommended).filter(([flag, value]) => {
      return JSON.stringify(cdkJson.context[flag]) !== JSON.stringify(value);
    });
    // `strong`: CloudFormation takes nothing away from a stack that another one uses.
    expect(others.map(([flag]) => flag)).toEqual(['@aws-cdk/core:defaultCrossStackReferences']);
  });
});
