import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { AskbackAgent } from '../../lib/askback-agent.ts';
import { agentTemplate, ENTRY, properties, readable, resources, unbundledApp } from './stacks.ts';

const template = agentTemplate();
const ARN = 'arn:<AWS::Partition>:apigateway:<AWS::Region>:lambda:path';

function methods(of: Template) {
  return Object.values(resources(of, 'AWS::ApiGateway::Method')).map(({ Properties }) => Properties);
}

describe('the API (design 9)', () => {
  it('is a regional REST API with one function behind its root and all below it', () => {
    expect(properties(template, 'AWS::ApiGateway::RestApi').EndpointConfiguration).toEqual({ Types: ['REGIONAL'] });
    const paths = Object.values(resources(template, 'AWS::ApiGateway::Resource'));
    expect(paths.map(({ Properties }) => Properties.PathPart)).toEqual([
      '{proxy+}',
      '.well-known',
      'agent-card.json',
      'callbacks',
      '{proxy+}',
    ]);
    const integrated = methods(template).map(({ HttpMethod, ResourceId, Integration }) => [
      HttpMethod,
      ResourceId,
      (Integration as { Type: string }).Type,
    ]);
    expect(integrated).toEqual([
      ['ANY', '<AgentApi.RootResourceId>', 'AWS_PROXY'],
      ['ANY', '<AgentApiproxy>', 'AWS_PROXY'],
      ['GET', '<AgentApiwellknownagentcardjson>', 'AWS_PROXY'],
      ['ANY', '<AgentApicallbacksproxy>', 'AWS_PROXY'],
    ]);
  });

  it('streams: its own URI, the gateway’s 15 minutes, and a function of the same mind (R37)', () => {
    for (const { Integration } of methods(template)) {
      expect(Integration).toEqual({
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ResponseTransferMode: 'STREAM',
        TimeoutInMillis: 900_000,
        Uri: `${ARN}/2021-11-15/functions/<AgentApiFunction.Arn>/response-streaming-invocations`,
      });
    }
    expect(properties(template, 'AWS::Lambda::Function', 'AgentApiFunction')).toMatchObject({
      Timeout: 900,
      Environment: { Variables: { ASKBACK_STREAMING: 'on' } },
    });
  });

  it('answers in one piece where that is asked for: the gateway’s 29 seconds, and the function knows', () => {
    const buffered = agentTemplate({ streaming: false });
    for (const { Integration } of methods(buffered)) {
      expect(Integration).toEqual({
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ResponseTransferMode: 'BUFFERED',
        TimeoutInMillis: 29_000,
        Uri: `${ARN}/2015-03-31/functions/<AgentApiFunction.Arn>/invocations`,
      });
    }
    expect(properties(buffered, 'AWS::Lambda::Function', 'AgentApiFunction')).toMatchObject({
      Timeout: 29,
      Environment: { Variables: { ASKBACK_STREAMING: 'off' } },
    });
  });

  it('limits rates, traces, and refuses what the stage or Lambda will not carry with 429 or 503 and advice (design 9)', () => {
    expect(properties(template, 'AWS::ApiGateway::Stage')).toMatchObject({
      StageName: 'a2a',
      TracingEnabled: true,
      MethodSettings: [
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          ThrottlingRateLimit: 50,
          ThrottlingBurstLimit: 100,
          DataTraceEnabled: false,
        },
      ],
    });
    const refusals = Object.values(resources(template, 'AWS::ApiGateway::GatewayResponse'));
    const advice = { 'gatewayresponse.header.Retry-After': "'1'" };
    expect(refusals.map(({ Properties }) => Properties)).toMatchObject([
      { ResponseType: 'THROTTLED', StatusCode: '429', ResponseParameters: advice },
      { ResponseType: 'INTEGRATION_FAILURE', StatusCode: '503', ResponseParameters: advice },
    ]);
    const other = agentTemplate({ limits: { requestsPerSecond: 7, burst: 9 } });
    expect(properties(other, 'AWS::ApiGateway::Stage')).toMatchObject({
      MethodSettings: [{ ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 }],
    });
  });

  it('logs every access, without the path and the query, which are the caller’s', () => {
    const { AccessLogSetting } = properties(template, 'AWS::ApiGateway::Stage');
    const { DestinationArn, Format } = AccessLogSetting as { DestinationArn: string; Format: string };
    expect(DestinationArn).toBe(
      'arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:<AgentApiAccessLogs>',
    );
    const fields = JSON.parse(Format) as Record<string, string>;
    expect(fields).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    expect(Object.values(fields)).not.toContain('$context.path');
  });

  it('sets the account’s log role unless the account has one', () => {
    const account = 'AWS::ApiGateway::Account';
    expect(resources(template, account).AgentApiAccount?.DeletionPolicy).toBe('Retain');
    expect(resources(agentTemplate({ accountLogRole: false }), account)).toEqual({});
  });

  it('tells where it is', () => {
    const outputs = Object.entries(template.findOutputs('*')).map(([name, { Value }]) => [name, readable(Value)]);
    const base = 'https://<AgentApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/a2a';
    expect(Object.fromEntries(outputs)).toEqual({
      BaseUrl: base,
      AgentCardUrl: `${base}/.well-known/agent-card.json`,
      TurnDeadLettersUrl: '<AgentTurnsDeadLetters>',
      PushDeadLettersUrl: '<AgentPushDeadLetters>',
    });
    expect(Object.keys(agentTemplate({ push: false }).findOutputs('*'))).not.toContain('PushDeadLettersUrl');
  });

  it('tells the address of yours where there is one in front', () => {
    const { BaseUrl, AgentCardUrl } = agentTemplate({ baseUrl: 'https://agents.example.com/expenses/' }).findOutputs(
      '*',
    );
    expect([BaseUrl?.Value, AgentCardUrl?.Value]).toEqual([
      'https://agents.example.com/expenses',
      'https://agents.example.com/expenses/.well-known/agent-card.json',
    ]);
  });
});

describe('who may call (design 10)', () => {
  it('by default whoever IAM lets; only the agent card and callbacks are public', () => {
    expect(methods(template).map(({ HttpMethod, AuthorizationType }) => [HttpMethod, AuthorizationType])).toEqual([
      ['ANY', 'AWS_IAM'],
      ['ANY', 'AWS_IAM'],
      ['GET', 'NONE'],
      ['ANY', 'NONE'],
    ]);
  });

  it('an authorizer of yours takes the place of IAM; card and callbacks stay public', () => {
    const stack = new Stack(unbundledApp(), 'Own');
    const handler = new LambdaFunction(stack, 'Who', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => ({})'),
    });
    const auth = new RequestAuthorizer(stack, 'Authorizer', {
      handler,
      identitySources: ['method.request.header.Authorization'],
    });
    new AskbackAgent(stack, 'Agent', { entry: ENTRY, auth });
    const own = methods(Template.fromStack(stack));
    expect(own.map(({ AuthorizationType, AuthorizerId }) => [AuthorizationType, AuthorizerId])).toEqual([
      ['CUSTOM', '<Authorizer>'],
      ['CUSTOM', '<Authorizer>'],
      ['NONE', undefined],
      ['NONE', undefined],
    ]);
  });

  it('only the API may invoke the api function, and only on its own stage', () => {
    const permissions = Object.values(resources(template, 'AWS::Lambda::Permission')).map(
      ({ Properties }) => Properties,
    );
    const of =
      'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<AgentApi>/<AgentApiDeploymentStagea2a>';
    expect(permissions.map(({ FunctionName, Principal, SourceArn }) => [FunctionName, Principal, SourceArn])).toEqual([
      ['<AgentSweepFunction.Arn>', 'events.amazonaws.com', '<AgentSweeperRule.Arn>'],
      ['<AgentApiFunction.Arn>', 'apigateway.amazonaws.com', `${of}/*/`],
      ['<AgentApiFunction.Arn>', 'apigateway.amazonaws.com', `${of}/*/*`],
      ['<AgentApiFunction.Arn>', 'apigateway.amazonaws.com', `${of}/GET/.well-known/agent-card.json`],
      ['<AgentApiFunction.Arn>', 'apigateway.amazonaws.com', `${of}/*/callbacks/*`],
    ]);
  });
});

describe('the name of the API', () => {
  it('is not the agent’s name: CloudWatch tells APIs apart by it', () => {
    const app = unbundledApp();
    const stack = new Stack(app, 'Any');
    new AskbackAgent(stack, 'Agent', { entry: ENTRY, name: 'expenses' });
    expect(properties(Template.fromStack(stack), 'AWS::ApiGateway::RestApi').Name).toBe('Any-Agent-Api-2E6D5FD2');
  });
});
