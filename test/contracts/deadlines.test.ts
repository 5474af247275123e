import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { SchedulerDeadlines } from '../../aws/scheduler-deadlines.ts';
import type { Timer } from '../../core/ports.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { MemoryDeadlines } from '../fakes/memory-deadlines.ts';
import { deadlinesContract } from './deadlines.contract.ts';

deadlinesContract('in memory', () => {
  const deadlines = new MemoryDeadlines();
  return {
    deadlines,
    standing: () => deadlines.timers,
    breakNext: () => {
      deadlines.failures = 1;
    },
  };
});

deadlinesContract('Scheduler code on a mocked client', () => {
  const client = new SchedulerClient({ region: 'us-east-1' });
  const mock = mockClient(client);
  const schedules = new Map<string, Timer>();
  let broken = false;
  const failIfBroken = () => {
    if (!broken) return;
    broken = false;
    throw Object.assign(new Error('service unavailable'), { $metadata: { httpStatusCode: 503 } });
  };
  mock.on(CreateScheduleCommand).callsFake((input: CreateScheduleCommand['input']) => {
    failIfBroken();
    const name = input.Name ?? '';
    if (schedules.has(name)) throw new ConflictException({ message: 'exists', Message: 'exists', $metadata: {} });
    const told = JSON.parse(input.Target?.Input ?? '') as Omit<Timer, 'atMs'>;
    const time = /^at\((.*)\)$/.exec(input.ScheduleExpression ?? '')?.[1];
    schedules.set(name, { ...told, atMs: Date.parse(`${time}Z`) });
    return {};
  });
  mock.on(DeleteScheduleCommand).callsFake((input: DeleteScheduleCommand['input']) => {
    failIfBroken();
    if (!schedules.delete(input.Name ?? '')) {
      throw new ResourceNotFoundException({ message: 'none', Message: 'none', $metadata: {} });
    }
    return {};
  });
  return {
    deadlines: new SchedulerDeadlines({
      client,
      clock: new ManualClock(),
      groupName: 'askback',
      targetArn: 'arn:aws:lambda:us-east-1:123456789012:function:deadline',
      roleArn: 'arn:aws:iam::123456789012:role/timers',
      deadLetterArn: 'arn:aws:sqs:us-east-1:123456789012:timers-dead',
    }),
    standing: () => [...schedules.values()],
    breakNext: () => {
      broken = true;
    },
  };
});
