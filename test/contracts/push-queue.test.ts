import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { SqsPushQueue } from '../../aws/sqs-push-queue.ts';
import type { PushPoke } from '../../core/push/ports.ts';
import { LocalPushQueue } from '../../local/local-push-queue.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';
import { MemoryPushQueue } from '../fakes/memory-push-queue.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { pushQueueContract } from './push-queue.contract.ts';

pushQueueContract('in memory', () => {
  const clock = new ManualClock();
  const queue = new MemoryPushQueue(clock);
  return {
    queue,
    receive: async () => {
      const taken: PushPoke[] = [];
      for (let poke = queue.take(); poke !== undefined; poke = queue.take()) taken.push(poke);
      return taken;
    },
    advance: (ms) => clock.advance(ms),
    breakNext: () => {
      queue.failures = 1;
    },
  };
});

pushQueueContract('in the local process', () => {
  const clock = new ManualClock();
  const got: PushPoke[] = [];
  const queue = new LocalPushQueue({ clock, log: new QuietLog(), deliver: async (poke) => void got.push(poke) });
  return {
    queue,
    receive: async () => {
      await settle();
      await settle();
      return got.splice(0);
    },
    advance: (ms) => clock.advance(ms),
  };
});

const QUEUE = 'https://sqs.example/push';
const DEAD = 'https://sqs.example/push-dead';

function sqs() {
  const clock = new ManualClock();
  const client = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(client);
  let broken = false;
  let waiting: { body: string; readyAtMs: number }[] = [];
  mock.on(SendMessageBatchCommand, { QueueUrl: QUEUE }).callsFake((input: SendMessageBatchCommand['input']) => {
    if (broken) {
      broken = false;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    }
    const entries = input.Entries ?? [];
    expect(entries.length).toBeGreaterThan(0);
    expect(new Set(entries.map(({ Id }) => Id)).size).toBe(entries.length);
    for (const { MessageBody = '', DelaySeconds = 0 } of entries) {
      waiting.push({ body: MessageBody, readyAtMs: clock.now() + DelaySeconds * 1_000 });
    }
    return {};
  });
  mock.on(SendMessageCommand, { QueueUrl: DEAD }).resolves({});
  return {
    mock,
    queue: new SqsPushQueue({ client, queueUrl: QUEUE, deadLetterUrl: DEAD }),
    client,
    receive: async () => {
      const ready = waiting.filter((message) => message.readyAtMs <= clock.now());
      waiting = waiting.filter((message) => message.readyAtMs > clock.now());
      return ready.map((message) => JSON.parse(message.body) as PushPoke);
    },
    advance: (ms: number) => clock.advance(ms),
    breakNext: () => {
      broken = true;
    },
  };
}

pushQueueContract('SQS code on a mocked client', sqs);

it('a batch that SQS took in part is an error: poking again is harmless, forgetting is not', async () => {
  const { mock, queue } = sqs();
  mock
    .on(SendMessageBatchCommand)
    .resolves({ Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }], Successful: [] });
  await expect(queue.send([{ taskId: 'a', configId: 'w' }])).rejects.toMatchObject({ reason: 'QUEUE_UNAVAILABLE' });
});

it('a delay is at most the 15 minutes that SQS knows, in whole seconds, rounded up', async () => {
  const { mock, queue } = sqs();
  await queue.send([{ taskId: 'a', configId: 'w' }], 1_001);
  await queue.send([{ taskId: 'a', configId: 'w' }], 10_000_000);
  const delays = mock
    .commandCalls(SendMessageBatchCommand)
    .map((call) => call.args[0].input.Entries?.[0]?.DelaySeconds);
  expect(delays).toEqual([2, 900]);
});

it('R45: a dead letter names the config and holds nothing of it; without a dead-letter queue there is none', async () => {
  const { mock, queue, client } = sqs();
  await queue.bury({ taskId: 'a', configId: 'w', again: true });
  const [buried] = mock.commandCalls(SendMessageCommand).map((call) => call.args[0].input);
  expect(buried).toEqual({ QueueUrl: DEAD, MessageBody: '{"taskId":"a","configId":"w","again":true}' });
  await new SqsPushQueue({ client, queueUrl: QUEUE }).bury({ taskId: 'a', configId: 'w' });
  expect(mock.commandCalls(SendMessageCommand)).toHaveLength(1);
});
