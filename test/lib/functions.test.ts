import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { resolveLimits } from '../../lib/settings.ts';
import { agentTemplate, type Properties, properties, resources } from './stacks.ts';

const template = agentTemplate({ environment: { REGION_OF_OFFICE: 'north' } });
const functions = resources(template, 'AWS::Lambda::Function');

function atOnce(of: Template): unknown[] {
  const sources = Object.values(resources(of, 'AWS::Lambda::EventSourceMapping'));
  return sources.map(({ Properties }) => (Properties.ScalingConfig as Properties).MaximumConcurrency);
}

describe('the functions', () => {
  it('are five, on Node 24 and arm64, traced, each with a role and a log group of its own', () => {
    expect(Object.keys(functions)).toEqual([
      'AgentApiFunction',
      'AgentWorkerFunction',
      'AgentDeadlineFunction',
      'AgentSweepFunction',
      'AgentDeliverPushFunction',
    ]);
    for (const { Properties: one } of Object.values(functions)) {
      expect(one).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        TracingConfig: { Mode: 'Active' },
      });
    }
    const own = (property: (one: Properties) => unknown) =>
      new Set(Object.values(functions).map(({ Properties }) => property(Properties)));
    expect(own(({ Role }) => Role).size).toBe(5);
    expect(own(({ LoggingConfig }) => (LoggingConfig as { LogGroup: string }).LogGroup).size).toBe(5);
  });

  it.each([
    ['AgentApiFunction', 900, 1_024, 50],
    ['AgentWorkerFunction', 300, 1_024, 20],
    ['AgentDeadlineFunction', 60, 512, 5],
    ['AgentSweepFunction', 300, 512, 1],
    ['AgentDeliverPushFunction', 60, 512, 10],
  ])('%s: %i s, %i MB, at most %i at once', (id, Timeout, MemorySize, ReservedConcurrentExecutions) => {
    expect(functions[id]?.Properties).toMatchObject({ Timeout, MemorySize, ReservedConcurrentExecutions });
  });

  it('find what functions/wiring.ts asks for; only those that seal and open answers are told where the key lies', () => {
    const timer = 'Demo-Agent-Deadlines-CBCC823B';
    const common = {
      NODE_OPTIONS: '--enable-source-maps',
      REGION_OF_OFFICE: 'north',
      ASKBACK_METRICS_AGENT: 'Demo-Agent-551BDB68',
      ASKBACK_TABLE: '<AgentTasksTable>',
      ASKBACK_TURN_QUEUE_URL: '<AgentTurnsQueue>',
      ASKBACK_TIMER_GROUP: timer,
      ASKBACK_TIMER_ROLE_ARN: '<AgentDeadlinesRole.Arn>',
      ASKBACK_TIMER_TARGET_ARN: `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${timer}`,
      ASKBACK_TIMER_DLQ_ARN: '<AgentDeadlinesDeadLetters.Arn>',
      ASKBACK_PUSH_QUEUE_URL: '<AgentPushQueue>',
    };
    const key = { ASKBACK_SECRET_KEY_SECRET: '<AgentSecretKeySecret>' };
    const variables = (id: string) =>
      (functions[id]?.Properties.Environment as { Variables: unknown } | undefined)?.Variables;
    expect(variables('AgentApiFunction')).toEqual({
      ...common,
      ...key,
      UV_THREADPOOL_SIZE: '64',
      ASKBACK_STREAMING: 'on',
      ASKBACK_AUTH: 'iam',
    });
    const base = { ASKBACK_BASE_URL: 'https://<AgentApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/a2a' };
    expect(variables('AgentWorkerFunction')).toEqual({ ...common, ...base, ...key });
    expect(variables('AgentDeadlineFunction')).toEqual(common);
    expect(variables('AgentSweepFunction')).toEqual(common);
    // Nobody else buries.
    const bury = { ASKBACK_PUSH_DLQ_URL: '<AgentPushDeadLetters>', UV_THREADPOOL_SIZE: '64' };
    expect(variables('AgentDeliverPushFunction')).toEqual({ ...common, ...key, ...bury });
    const domain = resources(agentTemplate({ baseUrl: 'https://agents.example.com' }), 'AWS::Lambda::Function');
    const worker = domain.AgentWorkerFunction?.Properties.Environment as { Variables: Properties };
    expect(worker.Variables.ASKBACK_BASE_URL).toBe('https://agents.example.com');
  });

  it('have no secret among their settings, where whoever may look at a function would see it (design 10)', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:');
  });

  it('get a key of 43 letters and digits, which are the base64 of 32 bytes', () => {
    expect(properties(template, 'AWS::SecretsManager::Secret').GenerateSecretString).toEqual({
      PasswordLength: 43,
      ExcludePunctuation: true,
    });
    expect(Buffer.from('Kx0'.repeat(14).concat('Z'), 'base64').length).toBe(32);
  });

  it('write to logs that are kept for a month', () => {
    const logs = Object.entries(resources(template, 'AWS::Logs::LogGroup'));
    expect(logs.map(([id, { Properties }]) => [id, Properties])).toEqual([
      ['AgentApiFunctionLogs', { RetentionInDays: 30 }],
      ['AgentWorkerLogs', { RetentionInDays: 30 }],
      ['AgentDeadlineLogs', { RetentionInDays: 30 }],
      ['AgentSweepLogs', { RetentionInDays: 30 }],
      ['AgentDeliverPushLogs', { RetentionInDays: 30 }],
      ['AgentApiAccessLogs', { RetentionInDays: 30 }],
    ]);
  });

  it('reserve no concurrency where the account has none to give, and still take 20 turns at once and 10 batches of pokes', () => {
    const small = agentTemplate({ limits: { concurrency: false } });
    const reserved = Object.values(resources(small, 'AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.ReservedConcurrentExecutions,
    );
    expect(reserved).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(atOnce(small)).toEqual([20, 10]);
  });

  it('takes no more messages at once than SQS lets Lambda take, however much is reserved', () => {
    const large = agentTemplate({ limits: { concurrency: { 'run-turn': 2_000, 'deliver-push': 1_000 } } });
    const worker = properties(large, 'AWS::Lambda::Function', 'AgentWorkerFunction');
    expect(worker.ReservedConcurrentExecutions).toBe(2_000);
    expect(atOnce(large)).toEqual([1_000, 1_000]);
  });

  it.each([
    [{ concurrency: { sweep: 0 } }, 'limits.concurrency of sweep must be a whole number from 1, not 0'],
    [{ concurrency: { deadline: -1 } }, 'limits.concurrency of deadline must be a whole number from 1, not -1'],
    [{ concurrency: { api: 1.5 } }, 'limits.concurrency of api must be a whole number from 1, not 1.5'],
    [{ concurrency: { 'run-turn': 1 } }, 'limits.concurrency of run-turn must be at least 2, not 1'],
    [{ turnDeliveries: 0 }, 'limits.turnDeliveries must be a whole number from 1 to 1000, not 0'],
    [{ turnDeliveries: 1_001 }, 'limits.turnDeliveries must be a whole number from 1 to 1000, not 1001'],
    [{ requestsPerSecond: 0 }, 'limits.requestsPerSecond must be more than 0, not 0'],
    [{ burst: 0 }, 'limits.burst must be a whole number from 1, not 0'],
  ])('%j stops the synthesis: a deployment would fail late, or stand still', (limits, message) => {
    expect(() => resolveLimits(limits)).toThrow(message);
  });

  it('take other numbers one by one', () => {
    const other = agentTemplate({ limits: { concurrency: { api: 10, 'run-turn': 4, 'deliver-push': 3 } } });
    const reserved = Object.values(resources(other, 'AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.ReservedConcurrentExecutions,
    );
    expect(reserved).toEqual([10, 4, 5, 1, 3]);
    expect(atOnce(other)).toEqual([4, 3]);
  });
});
