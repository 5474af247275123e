/**
 * The expense agent as bin/ deploys it: with a ledger in DynamoDB, because nothing that a Lambda function writes to disk
 * outlives it, and with the directory in the bundle.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Agent } from '../../agent/index.ts';
import { createExpenseAgent } from './agent.ts';
import { costCentresOf } from './directory.ts';
import directory from './directory.json' with { type: 'json' };
import { dynamoDbLedger } from './dynamodb-ledger.ts';

/** Throws when the deployment has named no ledger. */
export default function deployedExpenseAgent({
  env,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
}): Agent {
  const tableName = env.EXPENSE_LEDGER_TABLE;
  if (!tableName) throw new Error('EXPENSE_LEDGER_TABLE is missing: the name of the ledger table');
  return createExpenseAgent({
    ledger: dynamoDbLedger(DynamoDBDocumentClient.from(new DynamoDBClient()), tableName),
    directory: { costCentres: async (caller) => costCentresOf(directory, caller) },
  });
}
