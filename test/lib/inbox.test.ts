/** The inbox page on AWS: only where it is wanted, and only where a browser can be known. */
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { root } from '../../scripts/run.ts';
import { agentTemplate, resources, unbundledApp } from './stacks.ts';

const JWT = { issuer: 'https://login.example.com/', audience: 'expenses' };

/** What the entry carries of ours. */
function bundled(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'functions', 'lambda', `${entry}.ts`)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['#agent'],
  });
  return outputFiles[0]?.text ?? '';
}

/** Of the page; what else is public is api.test.ts's. */
const pageMethods = (template: Template) =>
  Object.values(resources(template, 'AWS::ApiGateway::Method'))
    .map(({ Properties }) => Properties)
    .filter(({ ResourceId }) => ResourceId === '<AgentApiinbox>')
    .map(({ HttpMethod, AuthorizationType }) => [HttpMethod, AuthorizationType]);

describe('the inbox page (docs/inbox.md)', () => {
  it('is not there by default: there is no route to it', () => {
    const template = agentTemplate({ auth: JWT });
    expect(pageMethods(template)).toEqual([]);
  });

  it('where it is wanted, its bytes are read without a token', () => {
    const template = agentTemplate({ auth: JWT, inbox: true });
    expect(pageMethods(template)).toEqual([['GET', 'NONE']]);
  });

  it('is in the bundle only of who serves it', { timeout: 60_000 }, () => {
    const carries = ['api', 'api-with-inbox'].map((entry) => bundled(entry).includes('Open questions'));
    expect(carries).toEqual([false, true]);
  });

  it('is refused with IAM, because a browser cannot sign', () => {
    expect(() => agentTemplate({ inbox: true })).toThrow("inbox: a browser cannot sign for auth 'iam'");
  });

  it('-c inbox=true reaches the stack, and cdk-nag has nothing against it', () => {
    const values: Record<string, string> = { ...JWT, inbox: 'true' };
    const app = unbundledApp();
    const stack = addAgentStack(
      app,
      readContext((name) => values[name]),
    );
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
    expect(pageMethods(Template.fromStack(stack))).toEqual([['GET', 'NONE']]);
  });
});
