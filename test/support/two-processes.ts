/** Two processes on one table, of which the first is watched. */
import { afterAll } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { localClient, startDynalite } from './dynalite.ts';
import { type Calls, watchCalls } from './dynamo-calls.ts';

export interface TwoProcesses {
  readonly store: DynamoTaskStore;
  /** What `store` asked for. */
  readonly calls: Calls;
  readonly other: DynamoTaskStore;
}

/** They are there until the last test of the file is over. */
export async function twoProcesses(): Promise<TwoProcesses> {
  const { client, tableName, endpoint, stop } = await startDynalite();
  afterAll(stop);
  return {
    store: new DynamoTaskStore({ client, tableName }),
    calls: watchCalls(client),
    other: new DynamoTaskStore({ client: localClient(endpoint), tableName }),
  };
}
