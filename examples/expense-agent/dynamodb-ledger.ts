/**
 * The ledger of the deployed example: a table of its own, one item for each idempotency key. Filing is one conditional
 * put, so whoever files a key first has filed it, whichever worker comes second.
 */
import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** `tableName`: a table whose partition key is the string `idempotencyKey`. */
export function dynamoDbLedger(client: DynamoDBDocumentClient, tableName: string): Ledger {
  return {
    async file(expense, idempotencyKey) {
      const entry: LedgerEntry = { id: expenseId(idempotencyKey), idempotencyKey, ...expense };
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: entry,
            ConditionExpression: 'attribute_not_exists(idempotencyKey)',
          }),
        );
        return entry;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const read = new GetCommand({ TableName: tableName, Key: { idempotencyKey }, ConsistentRead: true });
        const { Item: filed } = await client.send(read);
        if (!filed) throw new Error('ledger: an entry is gone that must never go', { cause: error });
        return filed as LedgerEntry;
      }
    },
  };
}

/** No counter that all workers would share: the id follows from the key. */
function expenseId(idempotencyKey: string): string {
  return `EXP-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 12).toUpperCase()}`;
}
