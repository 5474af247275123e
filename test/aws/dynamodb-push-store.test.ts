/** What an emulator cannot show of the push store: lost responses, throttling. */
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { DynamoPushStore } from '../../aws/dynamodb-push-store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { PushConfig } from '../../core/push/config.ts';
import { mock, mocked } from '../support/mocked-dynamo.ts';

const store = new DynamoPushStore(mocked);

const task = { taskId: 't', bornMs: 1_800_000_000_000 };
const config: PushConfig = { id: 'w', version: 3, url: 'https://receiver.example/', cursor: 7 };
const next: PushConfig = { ...config, version: 4, lease: { token: 'mine', untilMs: 5 } };

function refusedBy(standing: PushConfig) {
  mock.on(PutItemCommand).rejects(
    new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: { httpStatusCode: 400 },
      Item: { pk: { S: 'T#t' }, j: { S: JSON.stringify(standing) } },
    }),
  );
}

it('a write that was made although its response was lost counts as made: the SDK repeats it', async () => {
  refusedBy(next);
  expect(await store.put(task, config, next)).toBe(true);
});

it('a write of the same version by somebody else does not', async () => {
  refusedBy({ ...next, lease: { token: 'other', untilMs: 5 } });
  expect(await store.put(task, config, next)).toBe(false);
});

it('writes one item, under the version that was read, with nothing but what is its own', async () => {
  mock.on(PutItemCommand).resolves({});
  expect(await store.put(task, config, next)).toBe(true);
  const [call] = mock.commandCalls(PutItemCommand);
  expect(call?.args[0].input).toMatchObject({
    Item: {
      pk: { S: 'T#t' },
      sk: { S: 'PUSH#w#1800000000000' },
      born: { N: '1800000000000' },
      v: { N: '4' },
      j: { S: JSON.stringify(next) },
    },
    ConditionExpression: 'v = :version',
    ExpressionAttributeValues: { ':version': { N: '3' } },
  });
});

it('throttling is to be tried again, never a lost race', async () => {
  mock.on(PutItemCommand).rejects(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
  await expect(store.put(task, config, next)).rejects.toBeInstanceOf(RetryableError);
});
