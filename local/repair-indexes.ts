/**
 * Puts back what dynalite loses of an index when it is killed in the middle of a write: it takes an item's old index
 * entry out, puts the new one in and writes the item, one after the other, where DynamoDB does all three or none. An
 * item without its entry would never be found by the sweeper. Runs before anything else uses the table, and only
 * after a process that did not stop by itself. It reads the whole table, which nothing that runs on AWS may do; so its
 * requests are sent by hand, and no code that AWS could run has a scan.
 */
import type { tableDefinition } from '../aws/table-keys.ts';

export type TableDefinition = ReturnType<typeof tableDefinition>;

/** One DynamoDB operation, in DynamoDB's own JSON. */
export type DynamoCall = (operation: string, input: unknown) => Promise<Record<string, unknown>>;

type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns how many items were written again. */
export async function repairIndexes(endpoint: string, definition: TableDefinition): Promise<number> {
  const call = dynamoCall(endpoint);
  const { TableName, KeySchema, GlobalSecondaryIndexes = [] } = definition;
  const tableKey = attributesOf(KeySchema);
  const missing = new Map<string, Item>();
  for (const { IndexName, KeySchema: indexKeySchema } of GlobalSecondaryIndexes) {
    const indexKey = attributesOf(indexKeySchema);
    const attributes = [...new Set([...tableKey, ...indexKey])];
    const indexed = new Set<string>();
    for await (const entry of scan(call, { TableName, IndexName })) indexed.add(keyOf(entry, attributes));
    for await (const item of scan(call, { TableName })) {
      if (indexKey.every((name) => item[name] !== undefined) && !indexed.has(keyOf(item, attributes))) {
        missing.set(keyOf(item, tableKey), item);
      }
    }
  }
  for (const item of missing.values()) await call('PutItem', { TableName, Item: item });
  return missing.size;
}

async function* scan(call: DynamoCall, input: Record<string, unknown>): AsyncGenerator<Item> {
  let from: unknown;
  do {
    const page = await call('Scan', { ...input, ...(from === undefined ? {} : { ExclusiveStartKey: from }) });
    yield* page.Items as Item[];
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

function attributesOf(keySchema: TableDefinition['KeySchema'] = []): readonly string[] {
  return keySchema.map(({ AttributeName = '' }) => AttributeName);
}

function keyOf(item: Item, attributes: readonly string[]): string {
  return JSON.stringify(attributes.map((name) => item[name]));
}

/** Throws with the error's type and message. dynalite wants to see a signature, and does not check it. */
export function dynamoCall(endpoint: string): DynamoCall {
  return async (operation, input) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20260101T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(input),
    });
    const output = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${operation}: ${output.__type} ${output.message ?? output.Message ?? ''}`);
    return output;
  };
}
