/** DynamoDB's client with nothing behind it: tests say what it answers, and look at what it was asked. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach } from 'vitest';

export const mock = mockClient(DynamoDBClient);

/** How long the store has waited, in milliseconds, instead of waiting. */
export const slept: number[] = [];

/** Options of a store. */
export const mocked = {
  client: new DynamoDBClient({ region: 'us-east-1' }),
  tableName: 'tasks',
  sleep: async (ms: number): Promise<void> => {
    slept.push(ms);
  },
};

afterEach(() => {
  mock.reset();
  slept.length = 0;
});
