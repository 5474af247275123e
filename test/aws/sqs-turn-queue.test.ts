import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { SqsTurnQueue } from '../../aws/sqs-turn-queue.ts';

const client = new SQSClient({ region: 'us-east-1' });
const mock = mockClient(client);
const queue = new SqsTurnQueue({ client, queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/turns' });
afterEach(() => mock.reset());

describe('the turn queue on SQS', () => {
  it.each([
    [undefined, undefined],
    [0, undefined],
    [-5, undefined],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [900_000, 900],
    [3_600_000, 900],
  ])('a delay of %s ms is sent as %s s: rounded up, at most 15 minutes', async (delayMs, seconds) => {
    mock.on(SendMessageCommand).resolves({});
    await queue.send({ taskId: 'task-1', turn: 3 }, delayMs);
    expect(mock.commandCalls(SendMessageCommand).map((call) => call.args[0].input)).toEqual([
      {
        QueueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/turns',
        MessageBody: '{"taskId":"task-1","turn":3}',
        ...(seconds === undefined ? {} : { DelaySeconds: seconds }),
      },
    ]);
  });

  it.each([
    ['RequestThrottled', 'THROTTLED'],
    ['TimeoutError', 'QUEUE_UNAVAILABLE'],
    ['AccessDenied', 'QUEUE_UNAVAILABLE'],
  ])('%s is retryable: the task has been saved (section 3, 2)', async (name, reason) => {
    const cause = Object.assign(new Error('text'), { name });
    mock.on(SendMessageCommand).rejects(cause);
    await expect(queue.send({ taskId: 'task-1', turn: 3 })).rejects.toMatchObject({ name: 'RetryableError', reason });
  });
});
