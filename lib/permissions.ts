/**
 * What each function may do, in one place: the actions it uses on the resources it uses, statement by statement.
 * test/lib/permissions.test.ts lists the outcome literally.
 */
import { Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { index } from '../aws/table-keys.ts';
import type { AgentFunction, AgentFunctions, Job } from './agent-function.ts';
import type { Deadlines } from './deadlines.ts';
import type { PushQueue } from './push-queue.ts';

export interface Resources {
  readonly table: Table;
  readonly encryptionKey?: IKey | undefined;
  readonly turns: Queue;
  readonly deadlines: Deadlines;
  /** Absent where no notifications are sent. */
  readonly push?: PushQueue | undefined;
}

/**
 * Of the table: everybody reads heads and what stands beside them, and writes heads. All but the sender of notifications,
 * which ends no task, drop secrets when a task ends (BatchWriteItem). Only the api lists (BatchGetItem, the owners'
 * indexes), only the worker claims (UpdateItem), and only the functions that retire tasks delete items one by one.
 */
const TABLE_ACTIONS: Record<Job, readonly string[]> = {
  api: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'BatchWriteItem'],
  'run-turn': ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
  deadline: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
  sweep: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
  'deliver-push': ['GetItem', 'Query', 'PutItem'],
};

const TAKE_MESSAGES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

export function grantPermissions(functions: AgentFunctions, resources: Resources): void {
  for (const job of ['api', 'run-turn', 'deadline', 'sweep', 'deliver-push'] as const) {
    const one = functions[job];
    one?.allow(...statementsOf(job, resources));
    if (one) acknowledge(job, one, resources);
  }
}

/**
 * The secret key goes to those that seal, open or sign, the key of the card to the api alone. A secret that is known by
 * its name only has six more characters in its ARN.
 */
export function grantSecret(secret: ISecret, ...readers: readonly (AgentFunction | undefined)[]): void {
  const { secretFullArn, secretArn, encryptionKey, stack } = secret;
  const statements = [allow(['secretsmanager:GetSecretValue'], secretFullArn ?? `${secretArn}-??????`)];
  if (encryptionKey) {
    const viaService = `secretsmanager.${stack.region}.${stack.urlSuffix}`;
    const conditions = { StringEquals: { 'kms:ViaService': viaService } };
    statements.push(new PolicyStatement({ actions: ['kms:Decrypt'], resources: [encryptionKey.keyArn], conditions }));
  }
  for (const reader of readers) reader?.allow(...statements);
}

function statementsOf(job: Job, resources: Resources): PolicyStatement[] {
  const { table, encryptionKey, push } = resources;
  const statements = [
    allow(
      TABLE_ACTIONS[job].map((action) => `dynamodb:${action}`),
      table.tableArn,
    ),
    ...(job === 'deliver-push' ? [] : ofTasks(job, resources)),
  ];
  // Whatever happens to a task, its receivers are poked; who tells them pokes itself to go on.
  if (push) statements.push(allow(['sqs:SendMessage'], push.queue.queueArn));
  if (push && job === 'deliver-push') {
    statements.push(allow(TAKE_MESSAGES, push.queue.queueArn), allow(['sqs:SendMessage'], push.deadLetters.queueArn));
  }
  if (encryptionKey) statements.push(useKey(encryptionKey, table));
  return statements;
}

/** For those that move tasks. */
function ofTasks(job: Job, { table, turns, deadlines }: Resources): PolicyStatement[] {
  const statements = [
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
      allow(TAKE_MESSAGES, turns.queueArn),
    );
  }
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

function acknowledge(job: Job, { role }: AgentFunction, { deadlines, encryptionKey }: Resources): void {
  const { targetName } = deadlines;
  if (job !== 'deliver-push') {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${targetName}/*]`,
      reason: 'Timers are named by task at run time; their group belongs to this agent alone.',
    });
  }
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
