/** Makes the table where no deployment does: in the local runtime and in tests. */
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { nameOf } from './errors.ts';
import { tableDefinition } from './table-keys.ts';

/** In seconds. An emulator takes milliseconds. */
const PATIENCE = { maxWaitTime: 30, minDelay: 0.02, maxDelay: 1 } as const;

/**
 * Answers whether it was made, once it can be used: it is still being made when CreateTable answers. A table of that name
 * that exists is left as it is.
 */
export async function createTable(client: DynamoDBClient, tableName: string): Promise<boolean> {
  const isNew = await createOnce(client, tableName);
  await waitUntilTableExists({ client, ...PATIENCE }, { TableName: tableName });
  return isNew;
}

async function createOnce(client: DynamoDBClient, tableName: string): Promise<boolean> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceInUseException') return false;
    throw error;
  }
}
