import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { SqsTurnQueue } from '../../aws/sqs-turn-queue.ts';
import type { QueueMessage } from '../../core/queue-message.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { MemoryQueue } from '../fakes/memory-queue.ts';
import { turnQueueContract } from './turn-queue.contract.ts';

turnQueueContract('in memory', () => {
  const clock = new ManualClock();
  const queue = new MemoryQueue(clock);
  return {
    queue,
    receive: async () => {
      const taken: QueueMessage[] = [];
      const next = () => queue.take() ?? queue.takeUndo();
      for (let message = next(); message !== undefined; message = next()) taken.push(message);
      return taken;
    },
    advance: (ms) => clock.advance(ms),
    breakNext: () => {
      queue.failures = 1;
    },
  };
});

turnQueueContract('SQS code on a mocked client', () => {
  const clock = new ManualClock();
  const client = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(client);
  let broken = false;
  let waiting: { body: string; readyAtMs: number }[] = [];
  mock.on(SendMessageCommand).callsFake((input: SendMessageCommand['input']) => {
    if (broken) {
      broken = false;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    }
    waiting.push({ body: input.MessageBody ?? '', readyAtMs: clock.now() + (input.DelaySeconds ?? 0) * 1_000 });
    return {};
  });
  return {
    queue: new SqsTurnQueue({ client, queueUrl: 'https://sqs.example/turns' }),
    receive: async () => {
      const ready = waiting.filter((message) => message.readyAtMs <= clock.now());
      waiting = waiting.filter((message) => message.readyAtMs > clock.now());
      return ready.map((message) => JSON.parse(message.body) as QueueMessage);
    },
    advance: (ms) => clock.advance(ms),
    breakNext: () => {
      broken = true;
    },
  };
});
