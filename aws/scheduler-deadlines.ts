/**
 * One-shot timers on EventBridge Scheduler. Names are derived, so making a timer twice is making it once. A timer is a
 * hint: it fires up to a minute late and perhaps twice, and the head decides what is due.
 */
import { CreateScheduleCommand, DeleteScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { timerName } from '../core/ids.ts';
import type { Clock, Deadlines, Timer } from '../core/ports.ts';
import { alwaysRetryable, nameOf } from './errors.ts';

/** What `at()` in the past does is not documented; a minute ahead is always accepted. */
const SOONEST_MS = 60_000;
/** The sweeper acts within minutes, so a timer that could not be delivered for an hour has nothing left to do. */
const RETRY_POLICY = { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 20 };

export interface SchedulerDeadlinesOptions {
  readonly client: SchedulerClient;
  readonly clock: Clock;
  readonly groupName: string;
  /** The deadline function. */
  readonly targetArn: string;
  /** Lets Scheduler invoke the target. */
  readonly roleArn: string;
  /** The queue for timers that could not be delivered. */
  readonly deadLetterArn: string;
}

export class SchedulerDeadlines implements Deadlines {
  readonly #options: SchedulerDeadlinesOptions;

  constructor(options: SchedulerDeadlinesOptions) {
    this.#options = options;
  }

  /** Whatever goes wrong is a `RetryableError`: the task has been saved and `due` covers the timer. */
  async set({ taskId, ask, timer, atMs }: Timer): Promise<void> {
    const { client, clock, groupName, targetArn, roleArn, deadLetterArn } = this.#options;
    const command = new CreateScheduleCommand({
      Name: timerName(taskId, ask, timer),
      GroupName: groupName,
      ScheduleExpression: atExpression(Math.max(atMs, clock.now() + SOONEST_MS)),
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: targetArn,
        RoleArn: roleArn,
        DeadLetterConfig: { Arn: deadLetterArn },
        RetryPolicy: RETRY_POLICY,
        Input: JSON.stringify({ taskId, ask, timer }),
      },
    });
    try {
      await client.send(command);
    } catch (error) {
      if (nameOf(error) !== 'ConflictException') throw alwaysRetryable(error, 'TIMERS_UNAVAILABLE');
    }
  }

  async delete({ taskId, ask, timer }: Omit<Timer, 'atMs'>): Promise<void> {
    const { client, groupName } = this.#options;
    const command = new DeleteScheduleCommand({ Name: timerName(taskId, ask, timer), GroupName: groupName });
    try {
      await client.send(command);
    } catch (error) {
      if (nameOf(error) !== 'ResourceNotFoundException') throw alwaysRetryable(error, 'TIMERS_UNAVAILABLE');
    }
  }
}

/** Whole seconds, rounded up: a timer that fires before its time finds nothing due. */
function atExpression(atMs: number): string {
  const utc = new Date(Math.ceil(atMs / 1_000) * 1_000).toISOString();
  return `at(${utc.slice(0, 19)})`;
}
