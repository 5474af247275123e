/** Makes the table where no deployment does: in the local runtime and in tests. */
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { nameOf } from './errors.ts';
import { tableDefinition } from './table-keys.ts';

/** Answers whether it was made; a table of that name that exists is left as it is. */
export async function createTable(client: DynamoDBDocumentClient, tableName: string): Promise<boolean> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceInUseException') return false;
    throw error;
  }
}
