import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import deployedExpenseAgent from '../../examples/expense-agent/deployed.ts';
import { dynamoDbLedger } from '../../examples/expense-agent/dynamodb-ledger.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

const taxi = {
  amount: 42,
  currency: 'EUR',
  date: '2026-11-24',
  vendor: 'Taxi',
  costCentre: 'CC-4410',
  filedBy: 'alice',
};

let dynamo: LocalDynamo;

beforeAll(async () => {
  dynamo = await startDynalite();
  await dynamo.documents.send(
    new CreateTableCommand({
      TableName: 'ledger',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'idempotencyKey', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'idempotencyKey', KeyType: 'HASH' }],
    }),
  );
});

afterAll(() => dynamo.stop());

test('one key files once, whichever workers come at the same time', async () => {
  const ledgers = [dynamoDbLedger(dynamo.documents, 'ledger'), dynamoDbLedger(dynamo.documents, 'ledger')];
  const entries = await Promise.all(ledgers.map((ledger) => ledger.file(taxi, 'task-1/4')));
  const entry = { id: 'EXP-CB982006088F', idempotencyKey: 'task-1/4', ...taxi };
  expect(entries).toEqual([entry, entry]);
});

test('what was filed first stays, and another key files another expense', async () => {
  const ledger = dynamoDbLedger(dynamo.documents, 'ledger');
  const first = await ledger.file(taxi, 'task-2/4');
  expect(await ledger.file({ ...taxi, amount: 43 }, 'task-2/4')).toEqual(first);
  expect((await ledger.file(taxi, 'task-3/4')).id).not.toBe(first.id);
});

test('a table that is not there is an error, not an expense', async () => {
  await expect(dynamoDbLedger(dynamo.documents, 'no-such-table').file(taxi, 'task-4/4')).rejects.toThrow();
});

test('the deployed agent does not start without its ledger', () => {
  expect(() => deployedExpenseAgent({ env: {} })).toThrow('EXPENSE_LEDGER_TABLE is missing');
  expect(deployedExpenseAgent({ env: { EXPENSE_LEDGER_TABLE: 'ledger', AWS_REGION: 'eu-west-1' } }).name).toBe(
    'Expense agent',
  );
});
