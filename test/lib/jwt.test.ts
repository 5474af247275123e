/** Deployed with an issuer: what the gateway asks, what the authorizer may do, and that its bundle stands alone. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import type { JwtIssuer } from '../../lib/auth.ts';
import { JwtAuthorizer } from '../../lib/jwt-authorizer.ts';
import { agentTemplate, properties, resources, unbundledApp } from './stacks.ts';

const auth: JwtIssuer = {
  issuer: 'https://login.example.com/',
  audience: ['expenses', 'https://agents.example.com'],
  tenantClaim: 'tenant',
};
const template = agentTemplate({ auth });
const of = (type: string) => Object.values(resources(template, type)).map(({ Properties }) => Properties);

describe('the API with an issuer', () => {
  it('asks for a token on every method but the agent card and callbacks', () => {
    const asked = of('AWS::ApiGateway::Method').map(({ HttpMethod, AuthorizationType, AuthorizerId }) => [
      HttpMethod,
      AuthorizationType,
      AuthorizerId,
    ]);
    expect(asked).toEqual([
      ['ANY', 'CUSTOM', '<AgentApiJwtAuthorizer>'],
      ['ANY', 'CUSTOM', '<AgentApiJwtAuthorizer>'],
      ['GET', 'NONE', undefined],
      ['ANY', 'NONE', undefined],
    ]);
  });

  it('keeps answers by token for five minutes, and refuses what is no bearer token without asking', () => {
    const authorizer = properties(template, 'AWS::ApiGateway::Authorizer');
    expect(authorizer).toMatchObject({
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 300,
    });
    const shape = new RegExp(String(authorizer.IdentityValidationExpression));
    expect(['Bearer a.b-c.d_e', 'bearer a.b.c'].map((one) => shape.test(one))).toEqual([true, true]);
    const wrong = ['Bearer a.b', 'Basic a.b.c', 'Bearer a.b.c, Bearer d.e.f', 'a.b.c', 'Bearer a.b.c.d.e'];
    expect(wrong.filter((one) => shape.test(one))).toEqual([]);
  });

  it('answers 401 with the scheme, and 503 when nobody can be checked', () => {
    const refusals = of('AWS::ApiGateway::GatewayResponse').map(({ ResponseType, StatusCode, ResponseParameters }) => [
      ResponseType,
      StatusCode,
      ResponseParameters,
    ]);
    const later = { 'gatewayresponse.header.Retry-After': "'5'" };
    expect(refusals).toEqual([
      ['THROTTLED', '429', { 'gatewayresponse.header.Retry-After': "'1'" }],
      ['INTEGRATION_FAILURE', '503', { 'gatewayresponse.header.Retry-After': "'1'" }],
      ['UNAUTHORIZED', '401', { 'gatewayresponse.header.WWW-Authenticate': "'Bearer'" }],
      ['AUTHORIZER_FAILURE', '503', later],
      ['AUTHORIZER_CONFIGURATION_ERROR', '503', later],
    ]);
    for (const { StatusCode, ResponseTemplates } of of('AWS::ApiGateway::GatewayResponse')) {
      const body = JSON.parse((ResponseTemplates as Record<string, string>)['application/json'] ?? '');
      expect(String(body.error.code)).toBe(StatusCode);
    }
  });

  it('with IAM there is neither authorizer nor bearer', () => {
    const iam = agentTemplate();
    expect(resources(iam, 'AWS::ApiGateway::Authorizer')).toEqual({});
    expect(Object.keys(resources(iam, 'AWS::ApiGateway::GatewayResponse'))).toEqual([
      'AgentApiThrottled',
      'AgentApiIntegrationFailure',
    ]);
  });
});

describe('the authorizer’s function', () => {
  it('may write its log and traces, and nothing else', () => {
    expect(properties(template, 'AWS::IAM::Policy', 'AgentApiJwtAuthorizeRoleDefaultPolicy').PolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: '<AgentApiJwtAuthorizeLogs.Arn>',
        },
        { Effect: 'Allow', Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Resource: '*' },
      ],
    });
    expect(properties(template, 'AWS::IAM::Role', 'AgentApiJwtAuthorizeRole').ManagedPolicyArns).toBeUndefined();
  });

  it('knows the issuer and neither table, queues nor keys; the api function knows the issuer for the card', () => {
    const issuer = {
      ASKBACK_AUTH_ISSUER: 'https://login.example.com/',
      ASKBACK_AUTH_AUDIENCE: 'expenses https://agents.example.com',
      ASKBACK_AUTH_TENANT_CLAIM: 'tenant',
    };
    const { Environment, ...own } = properties(template, 'AWS::Lambda::Function', 'AgentApiJwtAuthorizeFunction');
    expect(Environment).toEqual({ Variables: { NODE_OPTIONS: '--enable-source-maps', ...issuer } });
    expect(own).toMatchObject({
      Timeout: 10,
      MemorySize: 512,
      TracingConfig: { Mode: 'Active' },
      ReservedConcurrentExecutions: 10,
      Runtime: 'nodejs24.x',
    });
    const api = properties(template, 'AWS::Lambda::Function', 'AgentApiFunction').Environment;
    expect(api).toMatchObject({ Variables: issuer });
    expect(api).not.toMatchObject({ Variables: { ASKBACK_AUTH: 'iam' } });
  });

  it('reserves nothing where nothing can be reserved', () => {
    const small = agentTemplate({ auth, limits: { concurrency: false } });
    const own = properties(small, 'AWS::Lambda::Function', 'AgentApiJwtAuthorizeFunction');
    expect(own.ReservedConcurrentExecutions).toBeUndefined();
  });

  it('may be invoked by this authorizer of this API and by nobody else', () => {
    const own = of('AWS::Lambda::Permission').filter(
      ({ FunctionName }) => FunctionName === '<AgentApiJwtAuthorizeFunction.Arn>',
    );
    expect(own.map(({ Principal, SourceArn }) => [Principal, SourceArn])).toEqual([
      [
        'apigateway.amazonaws.com',
        'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<AgentApi>/authorizers/<AgentApiJwtAuthorizer>',
      ],
    ]);
  });
});

describe('settings that cannot be stop the synthesis', () => {
  it.each<[Partial<JwtIssuer>, string]>([
    [{ issuer: 'http://login.example.com' }, 'auth.issuer must be an https URL'],
    [{ issuer: 'https://login.example.com/?tenant=1' }, 'auth.issuer must be an https URL'],
    [{ audience: [] }, 'auth.audience must be'],
    [{ audience: '' }, 'auth.audience must be'],
    [{ audience: ['a b'] }, 'auth.audience must be'],
    [{ tenantClaim: '' }, 'auth.tenantClaim must be'],
  ])('%j', (wrong, message) => {
    expect(() => agentTemplate({ auth: { ...auth, ...wrong } })).toThrow(message);
  });
});

describe('cdk-nag, AwsSolutions', () => {
  it('finds nothing that has not been answered', () => {
    const app = unbundledApp();
    const context: Record<string, string> = { issuer: 'https://login.example.com', audience: 'expenses' };
    addAgentStack(
      app,
      readContext((name) => context[name]),
    );
    const { success, violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(violations).toEqual([]);
    expect(success).toBe(true);
  });
});

describe('the bundle, in a bare Node', () => {
  const place = mkdtempSync(join(tmpdir(), 'askback-jwt-'));
  let file = '';

  beforeAll(() => {
    const app = new App({ analyticsReporting: false, outdir: join(place, 'out') });
    const stack = new Stack(app, 'Jwt');
    const { authorizer } = new JwtAuthorizer(stack, 'Jwt', {
      agent: 'demo',
      issuer: auth,
      reserveConcurrency: false,
      logRetention: RetentionDays.ONE_DAY,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new RestApi(stack, 'Api', { cloudWatchRole: false }).root.addMethod('GET', new MockIntegration(), { authorizer });
    app.synth();
    const [asset] = readdirSync(join(place, 'out')).filter((name) => name.startsWith('asset.'));
    file = join(place, 'out', asset ?? '', 'index.mjs');
  }, 120_000);

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const settings = { ASKBACK_AUTH_ISSUER: 'https://login.example.com', ASKBACK_AUTH_AUDIENCE: 'expenses' };
  const bare = (program: string, env: Record<string, string>) => {
    writeFileSync(
      join(place, 'program.mjs'),
      `const { handler } = await import('${pathToFileURL(file)}');\n${program}`,
    );
    return spawnSync(process.execPath, [join(place, 'program.mjs')], { cwd: place, encoding: 'utf8', env });
  };

  it('refuses what is no token, with the word that the gateway knows', () => {
    const { stdout, stderr } = bare(
      "await handler({ authorizationToken: 'Bearer x' }, { awsRequestId: 'r-1' }).catch((e) => console.log(e.message))",
      settings,
    );
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n').at(-1)).toBe('Unauthorized');
  });

  it('does not start without an issuer', () => {
    expect(bare('', {}).stderr).toContain('ASKBACK_AUTH_ISSUER is missing');
  });

  it('is small: callers wait for it when it starts', () => {
    expect(statSync(file).size).toBeLessThan(250_000);
  });
});
