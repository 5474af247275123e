/**
 * What each function may do, in one place: the actions it uses on the resources it uses, statement by statement.
 * test/lib/permissions.test.ts lists the outcome literally.
 */
import { Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { index } from '../aws/table-keys.ts';
import type { AgentFunction, Job } from './agent-function.ts';
import type { Deadlines } from './deadlines.ts';

export interface Resources {
  readonly table: Table;
  readonly encryptionKey?: IKey | undefined;
  readonly turns: Queue;
  readonly deadlines: Deadlines;
}

/**
 * Of the table: everybody reads heads, logs and blobs, writes heads and drops secrets (BatchWriteItem) when a task ends.
 * Only the api lists (BatchGetItem, the owners' indexes), only the worker claims (UpdateItem), and only the functions
 * that retire tasks delete a head.
 */
const TABLE_ACTIONS: Record<Job, readonly string[]> = {
  api: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'BatchWriteItem'],
  'run-turn': ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
  deadline: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
  sweep: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
};

export function grantPermissions(functions: Readonly<Record<Job, AgentFunction>>, resources: Resources): void {
  for (const job of ['api', 'run-turn', 'deadline', 'sweep'] as const) {
    functions[job].allow(...statementsOf(job, resources));
    acknowledge(functions[job], resources);
  }
}

function statementsOf(job: Job, { table, encryptionKey, turns, deadlines }: Resources): PolicyStatement[] {
  const statements = [
    allow(
      TABLE_ACTIONS[job].map((action) => `dynamodb:${action}`),
      table.tableArn,
    ),
    // Whatever ends a task or moves it on owes a turn, or deletes a timer.
    allow(['sqs:SendMessage'], turns.queueArn),
    allow(['scheduler:DeleteSchedule'], deadlines.timersArn),
  ];
  if (job === 'api') {
    const lists = [index.byOwner, index.byContext].map((name) => `${table.tableArn}/index/${name}`);
    statements.push(allow(['dynamodb:Query'], ...lists));
  }
  if (job === 'sweep') statements.push(allow(['dynamodb:Query'], `${table.tableArn}/index/${index.due}`));
  if (job === 'run-turn') {
    statements.push(
      allow(['scheduler:CreateSchedule'], deadlines.timersArn),
      passRole(deadlines),
      allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], turns.queueArn),
    );
  }
  if (encryptionKey) statements.push(useKey(encryptionKey, table));
  return statements;
}

/** DynamoDB uses the key on behalf of whoever calls it; nobody else gets to it with these roles. */
function useKey({ keyArn }: IKey, { stack }: Table): PolicyStatement {
  return new PolicyStatement({
    actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
    resources: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${stack.region}.${stack.urlSuffix}` } },
  });
}

function acknowledge({ role }: AgentFunction, { deadlines, encryptionKey }: Resources): void {
  const { targetName } = deadlines;
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${targetName}/*]`,
    reason: 'Timers are named by task at run time; their group belongs to this agent alone.',
  });
  for (const action of encryptionKey ? ['kms:ReEncrypt*', 'kms:GenerateDataKey*'] : []) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Action::${action}]`,
      reason: 'The forms of this action that DynamoDB uses are its own affair; one key, and only through DynamoDB.',
    });
  }
}

function passRole({ role }: Deadlines): PolicyStatement {
  return new PolicyStatement({
    actions: ['iam:PassRole'],
    resources: [role.roleArn],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  });
}

function allow(actions: readonly string[], ...resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...actions], resources: [...resources] });
}
