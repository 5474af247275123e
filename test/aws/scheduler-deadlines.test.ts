import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { SchedulerDeadlines } from '../../aws/scheduler-deadlines.ts';
import { ManualClock } from '../fakes/manual-clock.ts';

const client = new SchedulerClient({ region: 'us-east-1' });
const mock = mockClient(client);
const deadlines = new SchedulerDeadlines({
  client,
  clock: new ManualClock(Date.parse('2027-01-15T08:00:00.000Z')),
  groupName: 'askback',
  targetArn: 'arn:aws:lambda:us-east-1:123456789012:function:deadline',
  roleArn: 'arn:aws:iam::123456789012:role/timers',
  deadLetterArn: 'arn:aws:sqs:us-east-1:123456789012:timers-dead',
});
afterEach(() => mock.reset());

const timer = { taskId: 'abcdefghijklmnopqrstuvwxyz', ask: 2, timer: 'expire' } as const;

describe('deadlines on EventBridge Scheduler', () => {
  it('are one-shot, in UTC, without a window, deleted after completion, with retries and a dead-letter queue', async () => {
    mock.on(CreateScheduleCommand).resolves({});
    await deadlines.set({ ...timer, atMs: Date.parse('2027-01-16T08:00:00.000Z') });
    expect(mock.commandCalls(CreateScheduleCommand).map((call) => call.args[0].input)).toEqual([
      {
        Name: 'abcdefghijklmnopqrstuvwxyz-2-expire',
        GroupName: 'askback',
        ScheduleExpression: 'at(2027-01-16T08:00:00)',
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: 'arn:aws:lambda:us-east-1:123456789012:function:deadline',
          RoleArn: 'arn:aws:iam::123456789012:role/timers',
          DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:123456789012:timers-dead' },
          RetryPolicy: { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 20 },
          Input: '{"taskId":"abcdefghijklmnopqrstuvwxyz","ask":2,"timer":"expire"}',
        },
      },
    ]);
  });

  it.each([
    ['2027-01-15T09:00:00.000Z', 'at(2027-01-15T09:00:00)'],
    ['2027-01-15T09:00:00.001Z', 'at(2027-01-15T09:00:01)'],
    ['2027-01-15T23:59:59.999Z', 'at(2027-01-16T00:00:00)'],
    ['2027-01-15T08:01:00.000Z', 'at(2027-01-15T08:01:00)'],
    ['2027-01-15T08:00:59.999Z', 'at(2027-01-15T08:01:00)'],
    ['2027-01-15T07:00:00.000Z', 'at(2027-01-15T08:01:00)'],
    ['2020-01-01T00:00:00.000Z', 'at(2027-01-15T08:01:00)'],
  ])('%s becomes %s: the next whole second, at least a minute ahead', async (at, expression) => {
    mock.on(CreateScheduleCommand).resolves({});
    await deadlines.set({ ...timer, atMs: Date.parse(at) });
    expect(mock.commandCalls(CreateScheduleCommand)[0]?.args[0].input.ScheduleExpression).toBe(expression);
  });

  it('have names of at most 64 characters of Scheduler’s alphabet, up to the last ask (section 8)', async () => {
    mock.on(CreateScheduleCommand).resolves({});
    mock.on(DeleteScheduleCommand).resolves({});
    await deadlines.set({ ...timer, ask: 100, atMs: 0 });
    await deadlines.delete({ ...timer, ask: 100 });
    const made = mock.commandCalls(CreateScheduleCommand)[0]?.args[0].input.Name;
    expect(made).toBe('abcdefghijklmnopqrstuvwxyz-100-expire');
    expect(made).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
    expect(mock.commandCalls(DeleteScheduleCommand)[0]?.args[0].input).toEqual({
      Name: 'abcdefghijklmnopqrstuvwxyz-100-expire',
      GroupName: 'askback',
    });
  });

  it.each([
    ['ThrottlingException', 'THROTTLED'],
    ['InternalServerException', 'TIMERS_UNAVAILABLE'],
    ['ServiceQuotaExceededException', 'THROTTLED'],
    ['AccessDeniedException', 'TIMERS_UNAVAILABLE'],
  ])('%s is retryable: the head’s due time covers the timer', async (name, reason) => {
    mock.rejects(Object.assign(new Error('text'), { name }));
    await expect(deadlines.set({ ...timer, atMs: 0 })).rejects.toMatchObject({ name: 'RetryableError', reason });
    await expect(deadlines.delete(timer)).rejects.toMatchObject({ name: 'RetryableError', reason });
  });

  it('a group that is missing is not "made", and a conflict is not "deleted"', async () => {
    mock.on(CreateScheduleCommand).rejects(Object.assign(new Error('text'), { name: 'ResourceNotFoundException' }));
    mock.on(DeleteScheduleCommand).rejects(Object.assign(new Error('text'), { name: 'ConflictException' }));
    await expect(deadlines.set({ ...timer, atMs: 0 })).rejects.toMatchObject({ name: 'RetryableError' });
    await expect(deadlines.delete(timer)).rejects.toMatchObject({ name: 'RetryableError' });
  });
});
