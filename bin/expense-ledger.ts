/** The worked example's own table: where the deployed expense agent files expenses. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { AskbackAgent } from '../lib/askback-agent.ts';

/** Makes the ledger, tells all functions of it (each loads the agent), and lets the worker file. */
export function addExpenseLedger(scope: Construct, { functions }: AskbackAgent, removalPolicy: RemovalPolicy): void {
  const ledger = new Table(scope, 'ExpenseLedger', {
    partitionKey: { name: 'idempotencyKey', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
  });
  for (const one of Object.values(functions)) one.function.addEnvironment('EXPENSE_LEDGER_TABLE', ledger.tableName);
  // A put, and a read where the expense had been filed before.
  const file = new PolicyStatement({ actions: ['dynamodb:PutItem', 'dynamodb:GetItem'], resources: [ledger.tableArn] });
  functions['run-turn'].allow(file);
}
