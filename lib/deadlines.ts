/**
 * What one-shot timers need: a group to live in, a role that may invoke the deadline function and nothing else, and a
 * queue for timers that could not be delivered. The timers themselves are made by the worker (aws/scheduler-deadlines.ts).
 */
import { ArnFormat, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterQueue } from './turn-queue.ts';

export class Deadlines extends Construct {
  readonly group: ScheduleGroup;
  readonly role: iam.Role;
  readonly deadLetters: Queue;
  /**
   * The deadline function's name is fixed here, because a timer made weeks ago must still find the function after a
   * deployment that replaces it, and because the function is told its own ARN.
   */
  readonly targetName: string;
  readonly targetArn: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const stack = Stack.of(this);
    const name = Names.uniqueResourceName(this, { maxLength: 64, separator: '-' });
    this.targetName = name;
    this.targetArn = stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // Timers are hints and the table outlives them, so they go with the stack.
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName: name, removalPolicy: RemovalPolicy.DESTROY });
    this.deadLetters = deadLetterQueue(this, 'DeadLetters');
    this.role = new iam.Role(this, 'Role', {
      description: 'Lets the timers of one agent invoke its deadline function',
      // Against a confused deputy: only for schedules of this account and this group.
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnEquals: { 'aws:SourceArn': this.#groupArn(name) },
        },
      }),
    });
    this.role.addToPolicy(new iam.PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.targetArn] }));
    this.role.addToPolicy(
      new iam.PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }),
    );
  }

  /** All timers of the group. */
  get timersArn(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.targetName}/*`,
    });
  }

  #groupArn(name: string): string {
    return Stack.of(this).formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: name });
  }
}
