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
const TIMERS = `${AWS}:scheduler:${HERE}:schedule/Demo-Agent-Deadlines-CBCC823B/*`;
const DELETE_TIMER = `Allow scheduler:DeleteSchedule on ${TIMERS}`;

const RETIRE =
  'Allow dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem' +
  ' on <AgentTasksTable.Arn>';

describe('least privilege (design 10)', () => {
  it('one role for each function, and each may do this and nothing else', () => {
    expect(statements(agentTemplate())).toEqual({
      '<AgentApiFunctionRole>': [
        logTo('AgentApiFunctionLogs'),
        TRACE,
        'Allow dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:BatchWriteItem on <AgentTasksTable.Arn>',
        SEND_TURN,
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/byOwner,<AgentTasksTable.Arn>/index/byContext',
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
      ],
      '<AgentDeadlineRole>': [
        logTo('AgentDeadlineLogs'),
        'Allow sqs:SendMessage on <AgentDeadlinesDeadLetters.Arn>',
        TRACE,
        RETIRE,
        SEND_TURN,
        DELETE_TIMER,
      ],
      '<AgentSweepRole>': [
        logTo('AgentSweepLogs'),
        TRACE,
        RETIRE,
        SEND_TURN,
        DELETE_TIMER,
        'Allow dynamodb:Query on <AgentTasksTable.Arn>/index/due',
      ],
      // Of the timers: the deadline function and nothing else, and a place for what could not be delivered.
      '<AgentDeadlinesRole>': [
        `Allow lambda:InvokeFunction on ${AWS}:lambda:${HERE}:function:Demo-Agent-Deadlines-CBCC823B`,
        'Allow sqs:SendMessage on <AgentDeadlinesDeadLetters.Arn>',
      ],
    });
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
