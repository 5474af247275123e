/** Every statement of every role, literally: who adds a permission writes it here as well. */
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { agentTemplate, resources, unbundledApp } from './stacks.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: unknown;
}

const AWS = 'arn:<AWS::Partition>';
const HERE = '<AWS::Region>:<AWS::AccountId>';

/** 'action, action on resource' for each statement; conditions follow. */
function statements(template: Template): Record<string, string[]> {
  const policies = Object.values(resources(template, 'AWS::IAM::Policy'));
  return Object.fromEntries(
    policies.map(({ Properties }) => {
      const { Roles, PolicyDocument } = Properties as { Roles: string[]; PolicyDocument: { Statement: Statement[] } };
      return [Roles.join(), PolicyDocument.Statement.map(line)];
    }),
  );
}

function line({ Effect, Action, Resource, Condition }: Statement): string {
  const condition = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
  return `${Effect} ${[Action].flat().join(', ')} on ${Resource}${condition}`;
}

// Statements are merged and their lists sorted, as cdk.json has the CDK do it.
const TRACE = 'Allow xray:PutTelemetryRecords, xray:PutTraceSegments on *';
const logTo = (logs: string) => `Allow logs:CreateLogStream, logs:PutLogEvents on <${logs}.Arn>`;
const sendTo = (...queues: readonly string[]) =>
  `Allow sqs:SendMessage on ${queues.map((queue) => `<Agent${queue}.Arn>`).join(',')}`;
const TAKE_AND_SEND = 'Allow sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:ReceiveMessage, sqs:SendMessage';
const READ_KEY = 'Allow secretsmanager:GetSecretValue on <AgentSecretKeySecret>';
const TIMERS = `${AWS}:scheduler:${HERE}:schedule/Demo-Agent-Deadlines-CBCC823B/*`;
const DELETE_TIMER = `Allow scheduler:DeleteSchedule on ${TIMERS}`;

const RETIRE =
  'Allow dynamodb:BatchWriteItem, dynamodb:DeleteItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query' +
  ' on <AgentTasksTable.Arn>';

describe('least privilege (design 10)', () => {
  it('one role for each function, and each may do this and nothing else', () => {
    // What each uses, by the numbers of aws/table-keys.ts: the api 1 to 3, 5, 7, 8, 10, 13 to 21; the worker 2 to 10;
    // the deadline function and the sweeper 2, 3, 10, 12 and 19, the sweeper also 11; deliver-push 2, 3, 7, 8, 18 and
    // 20. BatchWriteItem is 10 and 21, DeleteItem is 12, UpdateItem is 4, BatchGetItem is 15.
    expect(statements(agentTemplate())).toEqual({
      '<AgentApiFunctionRole>': [
        logTo('AgentApiFunctionLogs'),
        TRACE,
        'Allow dynamodb:BatchGetItem, dynamodb:BatchWriteItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query on <AgentTasksTable.Arn>',
        sendTo('PushQueue', 'TurnsQueue'),
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/byContext,<AgentTasksTable.Arn>/index/byOwner',
        READ_KEY,
      ],
      '<AgentWorkerRole>': [
        logTo('AgentWorkerLogs'),
        TRACE,
        'Allow dynamodb:BatchWriteItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on <AgentTasksTable.Arn>',
        `${TAKE_AND_SEND} on <AgentTurnsQueue.Arn>`,
        `Allow scheduler:CreateSchedule, scheduler:DeleteSchedule on ${TIMERS}`,
        'Allow iam:PassRole on <AgentDeadlinesRole.Arn> if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}',
        sendTo('PushQueue'),
        READ_KEY,
      ],
      '<AgentDeadlineRole>': [
        logTo('AgentDeadlineLogs'),
        sendTo('DeadlinesDeadLetters', 'PushQueue', 'TurnsQueue'),
        TRACE,
        RETIRE,
        DELETE_TIMER,
      ],
      '<AgentSweepRole>': [
        logTo('AgentSweepLogs'),
        TRACE,
        RETIRE,
        sendTo('PushQueue', 'TurnsQueue'),
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/due',
      ],
      '<AgentDeliverPushRole>': [
        logTo('AgentDeliverPushLogs'),
        TRACE,
        'Allow dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query on <AgentTasksTable.Arn>',
        `${TAKE_AND_SEND} on <AgentPushQueue.Arn>`,
        sendTo('PushDeadLetters'),
        READ_KEY,
      ],
      // Of the timers: the deadline function and nothing else, and a place for what could not be delivered.
      '<AgentDeadlinesRole>': [
        `Allow lambda:InvokeFunction on ${AWS}:lambda:${HERE}:function:Demo-Agent-Deadlines-CBCC823B`,
        sendTo('DeadlinesDeadLetters'),
      ],
    });
  });

  it('where no notifications are sent, nobody may poke', () => {
    const without = statements(agentTemplate({ push: false }));
    expect(Object.keys(without)).not.toContain('<AgentDeliverPushRole>');
    expect(JSON.stringify(without)).not.toContain('Push');
  });

  it('no function has a managed policy; the one role that has is API Gateway’s for access logs', () => {
    const managed = Object.entries(resources(agentTemplate(), 'AWS::IAM::Role')).flatMap(([id, { Properties }]) =>
      ((Properties.ManagedPolicyArns ?? []) as string[]).map((arn) => [id, arn]),
    );
    expect(managed).toEqual([
      ['AgentApiCloudWatchRole', `${AWS}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`],
    ]);
  });

  it('the worker of the worked example may file, and nobody else may touch the ledger', () => {
    const app = unbundledApp();
    const found = statements(
      Template.fromStack(
        addAgentStack(
          app,
          readContext(() => undefined),
        ),
      ),
    );
    const ofLedger = Object.entries(found).flatMap(([role, all]) =>
      all.filter((one) => one.includes('ExpenseLedger')).map((one) => [role, one]),
    );
    expect(ofLedger).toEqual([
      ['<AgentWorkerRole>', 'Allow dynamodb:GetItem, dynamodb:PutItem on <ExpenseLedger.Arn>'],
    ]);
  });
});
