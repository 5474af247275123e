/** Every statement of every role, literally: who adds a permission writes it here as well. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { agentTemplate, resources } from './stacks.ts';

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

const TRACE = 'Allow xray:PutTraceSegments, xray:PutTelemetryRecords on *';
const logTo = (logs: string) => `Allow logs:CreateLogStream, logs:PutLogEvents on <${logs}.Arn>`;
const SEND_TURN = 'Allow sqs:SendMessage on <AgentTurnsQueue.Arn>';
const READ_KEY = 'Allow secretsmanager:GetSecretValue on <AgentSecretKeySecret>';
const POKE = 'Allow sqs:SendMessage on <AgentPushQueue.Arn>';
const TIMERS = `${AWS}:scheduler:${HERE}:schedule/Demo-Agent-Deadlines-CBCC823B/*`;
const DELETE_TIMER = `Allow scheduler:DeleteSchedule on ${TIMERS}`;

const RETIRE =
  'Allow dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem' +
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
        'Allow dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:BatchWriteItem on <AgentTasksTable.Arn>',
        SEND_TURN,
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/byOwner,<AgentTasksTable.Arn>/index/byContext',
        POKE,
        READ_KEY,
      ],
      '<AgentWorkerRole>': [
        logTo('AgentWorkerLogs'),
        TRACE,
        'Allow dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:BatchWriteItem on <AgentTasksTable.Arn>',
        SEND_TURN,
        DELETE_TIMER,
        `Allow scheduler:CreateSchedule on ${TIMERS}`,
        'Allow iam:PassRole on <AgentDeadlinesRole.Arn> if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}',
        'Allow sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes on <AgentTurnsQueue.Arn>',
        POKE,
        READ_KEY,
      ],
      '<AgentDeadlineRole>': [
        logTo('AgentDeadlineLogs'),
        'Allow sqs:SendMessage on <AgentDeadlinesDeadLetters.Arn>',
        TRACE,
        RETIRE,
        SEND_TURN,
        DELETE_TIMER,
        POKE,
      ],
      '<AgentSweepRole>': [
        logTo('AgentSweepLogs'),
        TRACE,
        RETIRE,
        SEND_TURN,
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/due',
        POKE,
      ],
      '<AgentDeliverPushRole>': [
        logTo('AgentDeliverPushLogs'),
        TRACE,
        'Allow dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem on <AgentTasksTable.Arn>',
        POKE,
        'Allow sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes on <AgentPushQueue.Arn>',
        'Allow sqs:SendMessage on <AgentPushDeadLetters.Arn>',
        READ_KEY,
      ],
      // Of the timers: the deadline function and nothing else, and a place for what could not be delivered.
      '<AgentDeadlinesRole>': [
        `Allow lambda:InvokeFunction on ${AWS}:lambda:${HERE}:function:Demo-Agent-Deadlines-CBCC823B`,
        'Allow sqs:SendMessage on <AgentDeadlinesDeadLetters.Arn>',
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
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
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
      ['<AgentWorkerRole>', 'Allow dynamodb:PutItem, dynamodb:GetItem on <ExpenseLedger.Arn>'],
    ]);
  });
});
