import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { AgentStack } from '../../lib/agent-stack.ts';
import { AskbackAgent } from '../../lib/askback-agent.ts';
import { agentTemplate, ENTRY, fixedNames, properties, resources, unbundledApp } from './stacks.ts';

const template = agentTemplate();

describe('the table (design 4)', () => {
  const table = resources(template, 'AWS::DynamoDB::Table').AgentTasksTable;

  it('is on demand, restorable to any second, and stays when the stack goes', () => {
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      },
    });
  });

  it('has the keys, the indexes and the TTL attribute of aws/table-keys.ts', () => {
    const keysOnly = (IndexName: string, hash: string, range: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: hash, KeyType: 'HASH' },
        { AttributeName: range, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    });
    expect(table?.Properties).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          ...keysOnly('byOwner', 'os', 'at'),
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['ctx', 'st'] },
        },
        keysOnly('byContext', 'ck', 'pk'),
        keysOnly('due', 'ds', 'due'),
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
    expect(table?.Properties.AttributeDefinitions).toEqual(
      expect.arrayContaining([
        { AttributeName: 'at', AttributeType: 'N' },
        { AttributeName: 'due', AttributeType: 'N' },
        { AttributeName: 'ds', AttributeType: 'S' },
      ]),
    );
  });

  it('takes a key of yours, which only DynamoDB may use for the functions', () => {
    const app = unbundledApp();
    const stack = new Stack(app, 'Keyed');
    const encryptionKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:eu-west-1:111122223333:key/one');
    new AskbackAgent(stack, 'Agent', { entry: ENTRY, encryptionKey });
    const keyed = Template.fromStack(stack);
    expect(properties(keyed, 'AWS::DynamoDB::Table').SSESpecification).toEqual({
      KMSMasterKeyId: 'arn:aws:kms:eu-west-1:111122223333:key/one',
      SSEEnabled: true,
      SSEType: 'KMS',
    });
    const policy = properties(keyed, 'AWS::IAM::Policy', 'AgentWorkerRoleDefaultPolicy');
    expect((policy.PolicyDocument as { Statement: unknown[] }).Statement).toContainEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      Resource: 'arn:aws:kms:eu-west-1:111122223333:key/one',
      Condition: { StringEquals: { 'kms:ViaService': 'dynamodb.<AWS::Region>.<AWS::URLSuffix>' } },
    });
  });

  it('goes with the stack only where that is asked for, logs and key as well', () => {
    const trial = agentTemplate({ removalPolicy: RemovalPolicy.DESTROY });
    expect(properties(trial, 'AWS::DynamoDB::Table').DeletionProtectionEnabled).toBe(false);
    for (const type of ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup', 'AWS::SecretsManager::Secret']) {
      const kept = (one: Template) => Object.values(resources(one, type)).map(({ DeletionPolicy }) => DeletionPolicy);
      expect(new Set(kept(trial))).toEqual(new Set(['Delete']));
      expect(new Set(kept(template))).toEqual(new Set(['Retain']));
    }
  });
});

describe('the turn queue (design 8)', () => {
  it('hides a message for the worker’s timeout and a minute more, and gives up after five deliveries', () => {
    expect(properties(template, 'AWS::SQS::Queue', 'AgentTurnsQueue')).toEqual({
      VisibilityTimeout: 360,
      MessageRetentionPeriod: 345_600,
      RedrivePolicy: { deadLetterTargetArn: '<AgentTurnsDeadLetters.Arn>', maxReceiveCount: 5 },
      SqsManagedSseEnabled: true,
    });
    const slow = agentTemplate({ limits: { turnTimeout: Duration.minutes(15), turnDeliveries: 3 } });
    expect(properties(slow, 'AWS::SQS::Queue', 'AgentTurnsQueue')).toMatchObject({
      VisibilityTimeout: 960,
      RedrivePolicy: { maxReceiveCount: 3 },
    });
    expect(properties(slow, 'AWS::Lambda::Function', 'AgentWorkerFunction').Timeout).toBe(900);
  });

  it.each(['AgentTurnsDeadLetters', 'AgentPushDeadLetters', 'AgentDeadlinesDeadLetters'])(
    '%s keeps what it gets for 14 days',
    (id) => {
      expect(properties(template, 'AWS::SQS::Queue', id)).toEqual({
        MessageRetentionPeriod: 1_209_600,
        SqsManagedSseEnabled: true,
      });
    },
  );

  it('every queue refuses what comes without TLS', () => {
    const policies = Object.values(resources(template, 'AWS::SQS::QueuePolicy')).map(({ Properties }) => Properties);
    expect(policies.map(({ Queues }) => Queues)).toEqual([
      ['<AgentTurnsDeadLetters>'],
      ['<AgentTurnsQueue>'],
      ['<AgentPushDeadLetters>'],
      ['<AgentPushQueue>'],
      ['<AgentDeadlinesDeadLetters>'],
    ]);
    for (const { PolicyDocument } of policies) {
      expect(PolicyDocument).toMatchObject({
        Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      });
    }
  });

  it('gives the worker one message at a time, with partial failures, and no more turns than it has room for', () => {
    expect(properties(template, 'AWS::Lambda::EventSourceMapping', 'AgentWorkerFunctionTurns')).toEqual({
      EventSourceArn: '<AgentTurnsQueue.Arn>',
      FunctionName: '<AgentWorkerFunction>',
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 20 },
    });
  });
});

describe('the push queue (design 9)', () => {
  it('hides a poke for two minutes, twice what its function may take, and gives up after five deliveries', () => {
    expect(properties(template, 'AWS::SQS::Queue', 'AgentPushQueue')).toEqual({
      VisibilityTimeout: 120,
      MessageRetentionPeriod: 345_600,
      RedrivePolicy: { deadLetterTargetArn: '<AgentPushDeadLetters.Arn>', maxReceiveCount: 5 },
      SqsManagedSseEnabled: true,
    });
    expect(properties(template, 'AWS::Lambda::Function', 'AgentDeliverPushFunction').Timeout).toBe(60);
  });

  it('gives its function ten pokes at a time, with partial failures', () => {
    expect(properties(template, 'AWS::Lambda::EventSourceMapping', 'AgentDeliverPushFunctionPokes')).toEqual({
      EventSourceArn: '<AgentPushQueue.Arn>',
      FunctionName: '<AgentDeliverPushFunction>',
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
  });

  it('is not there where no notifications are wanted; nobody is told of one, and so the card offers none', () => {
    const without = agentTemplate({ push: false });
    const ids = Object.keys({
      ...resources(without, 'AWS::SQS::Queue'),
      ...resources(without, 'AWS::Lambda::EventSourceMapping'),
      ...resources(without, 'AWS::Lambda::Function'),
    });
    expect(ids).toEqual([
      'AgentTurnsDeadLetters',
      'AgentTurnsQueue',
      'AgentDeadlinesDeadLetters',
      'AgentWorkerFunctionTurns',
      'AgentApiFunction',
      'AgentWorkerFunction',
      'AgentDeadlineFunction',
      'AgentSweepFunction',
    ]);
    expect(JSON.stringify(resources(without, 'AWS::Lambda::Function'))).not.toContain('ASKBACK_PUSH');
  });
});

describe('deadlines (design 8)', () => {
  it('timers live in a group of their own, under a role that trusts the Scheduler for this group only', () => {
    expect(properties(template, 'AWS::Scheduler::ScheduleGroup')).toEqual({ Name: 'Demo-Agent-Deadlines-CBCC823B' });
    expect(properties(template, 'AWS::IAM::Role', 'AgentDeadlinesRole').AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: {
            StringEquals: { 'aws:SourceAccount': '<AWS::AccountId>' },
            ArnEquals: {
              'aws:SourceArn':
                'arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule-group/Demo-Agent-Deadlines-CBCC823B',
            },
          },
        },
      ],
    });
  });

  it('what Lambda cannot deliver to the deadline function within the hour becomes a dead letter too', () => {
    const deadline = properties(template, 'AWS::Lambda::Function', 'AgentDeadlineFunction');
    expect(deadline.FunctionName).toBe('Demo-Agent-Deadlines-CBCC823B');
    expect(deadline.DeadLetterConfig).toEqual({ TargetArn: '<AgentDeadlinesDeadLetters.Arn>' });
    expect(
      properties(template, 'AWS::Lambda::EventInvokeConfig', 'AgentDeadlineFunctionEventInvokeConfig'),
    ).toMatchObject({
      MaximumEventAgeInSeconds: 3_600,
      MaximumRetryAttempts: 2,
    });
  });
});

describe('the sweeper (design 8)', () => {
  it('sweeps once a minute and repeats no sweep', () => {
    expect(properties(template, 'AWS::Events::Rule')).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: '<AgentSweepFunction.Arn>',
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      ],
    });
    expect(properties(template, 'AWS::Lambda::EventInvokeConfig', 'AgentSweepFunctionEventInvokeConfig')).toMatchObject(
      {
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      },
    );
  });
});

describe('several agents in one account', () => {
  it('share no name, whether in one stack or in two', () => {
    const app = unbundledApp();
    const one = new AgentStack(app, 'askback-one', { agent: { entry: ENTRY, name: 'same' } });
    const two = new AgentStack(app, 'askback-two', { agent: { entry: ENTRY, name: 'same' } });
    new AskbackAgent(two, 'Second', { entry: ENTRY, name: 'same' });
    const names = [one, two].flatMap((stack) => [...new Set(fixedNames(stack))]);
    expect(names.length).toBe(9);
    expect(new Set(names).size).toBe(9);
  });
});

describe('settings that cannot be', () => {
  const make = (props: Partial<ConstructorParameters<typeof AskbackAgent>[2]>) => () =>
    new AskbackAgent(new Stack(new App()), 'Agent', { entry: ENTRY, ...props });

  it.each([
    [{ entry: 'no/such-agent.ts' }, /entry: there is no file .*no\/such-agent\.ts/],
    [
      { limits: { turnTimeout: Duration.seconds(59) } },
      'limits.turnTimeout must be between 1 and 15 minutes, not 59 seconds',
    ],
    [
      { limits: { turnTimeout: Duration.seconds(901) } },
      'limits.turnTimeout must be between 1 and 15 minutes, not 901 seconds',
    ],
    [{ limits: { concurrency: { 'run-turn': 1 } } }, 'limits.concurrency of run-turn must be at least 2, not 1'],
    [
      { limits: { concurrency: { 'deliver-push': 1 } } },
      'limits.concurrency of deliver-push must be at least 2, not 1',
    ],
  ] as const)('%j is refused', (props, message) => {
    expect(make(props)).toThrow(message);
  });

  it('the retention of logs is yours', () => {
    const logs = resources(agentTemplate({ retention: { logs: RetentionDays.ONE_YEAR } }), 'AWS::Logs::LogGroup');
    expect(Object.values(logs).map(({ Properties }) => Properties.RetentionInDays)).toEqual([
      365, 365, 365, 365, 365, 365,
    ]);
  });
});
