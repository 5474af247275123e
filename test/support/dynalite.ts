/** dynalite in this process, on loopback and a free port, with the table made; for suites of the DynamoDB code. */

import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoClient } from '../../aws/clients.ts';
import { createTable } from '../../aws/create-table.ts';

// The SDK would print a warning about old Node versions into every test run.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** dynalite is CommonJS without types. */
const dynalite = createRequire(import.meta.url)('dynalite') as (options: {
  createTableMs?: number;
  deleteTableMs?: number;
  path?: string;
}) => Server;

const SETTINGS = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export interface LocalDynamo {
  readonly client: DynamoDBClient;
  /** For what takes plain values. */
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startDynalite(options: { path?: string; tableName?: string } = {}): Promise<LocalDynamo> {
  const { path, tableName = 'askback-test' } = options;
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, ...(path === undefined ? {} : { path }) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = localClient(endpoint);
  const documents = localDocuments(endpoint);
  await createTable(client, tableName);
  const stop = async () => {
    client.destroy();
    documents.destroy();
    server.closeAllConnections();
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  };
  return { client, documents, tableName, endpoint, stop };
}

/** A client of a dynalite that runs: one more, as another process would have it. */
export function localClient(endpoint: string): DynamoDBClient {
  return dynamoClient({ ...SETTINGS, endpoint });
}

/** One with plain values, as others than this project's store use it. */
export function localDocuments(endpoint: string): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ ...SETTINGS, endpoint }));
}
