/** The sweeper's schedule: once a minute, whatever happens. */
import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { limits } from '../core/limits.ts';

export class Sweeper extends Construct {
  readonly rule: Rule;

  constructor(scope: Construct, id: string, sweep: IFunction) {
    super(scope, id);
    this.rule = new Rule(this, 'Rule', {
      description: 'Finds tasks whose time has come and whose timer or queue message was lost',
      schedule: Schedule.rate(Duration.millis(limits.sweepIntervalMs)),
    });
    // The next sweep makes up for one that was missed.
    this.rule.addTarget(
      new LambdaFunction(sweep, {
        event: RuleTargetInput.fromObject({}),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    );
  }
}
