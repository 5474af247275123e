/**
 * The alarms of one agent, one row each. docs/operations.md says of each what it means and what to do; a test holds the
 * two together.
 */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { limits } from '../core/limits.ts';
import type { AgentMetrics, PushMetrics } from './metrics.ts';

export interface AlarmsProps {
  readonly agent: string;
  readonly metrics: AgentMetrics;
  /** The turn queue's visibility timeout: how long one delivery may take. */
  readonly turnVisibility: Duration;
  readonly actions: readonly IAlarmAction[];
}

interface Row {
  readonly says: string;
  readonly metric: IMetric;
  /** Goes off at this number. */
  readonly atLeast: number;
  /** Periods of five minutes in a row. Default 1. */
  readonly periods?: number;
}

export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { agent, metrics, actions } = props;
    const alarms = Object.entries(rowsOf(props)).map(([name, { says, metric, atLeast, periods = 1 }]) => {
      return new Alarm(this, name, {
        alarmDescription: `${agent}: ${says}. See ${name} in docs/operations.md.`,
        metric,
        threshold: atLeast,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    });
    // The only one that goes off when there is nothing: no data means that no sweep has run.
    const silent = new Alarm(this, 'SweeperSilent', {
      alarmDescription: `${agent}: no sweep has run for 15 minutes. See SweeperSilent in docs/operations.md.`,
      metric: metrics.sweeps,
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
    this.all = [...alarms, silent];
    for (const alarm of this.all) {
      alarm.addAlarmAction(...actions);
      alarm.addOkAction(...actions);
    }
  }
}

function rowsOf({ metrics, turnVisibility }: AlarmsProps): Record<string, Row> {
  // A retry may be delayed by 15 minutes and then take a whole delivery; older than that is stuck.
  const oldest = Duration.millis(limits.retryDelayMaxMs).plus(turnVisibility);
  return {
    TurnDeadLetters: { says: 'turns could not be delivered', metric: metrics.turnDeadLetters, atLeast: 1 },
    TimerDeadLetters: { says: 'timers could not be delivered', metric: metrics.timerDeadLetters, atLeast: 1 },
    OldestTurn: {
      says: 'a turn has waited for longer than its longest retry takes',
      metric: metrics.oldestTurnSeconds,
      atLeast: oldest.toSeconds(),
    },
    OverdueQuestions: {
      says: 'questions stood open for minutes after they had expired',
      metric: metrics.questions.overdue,
      atLeast: 1,
    },
    TurnsFailed: { says: 'tasks failed because the agent did', metric: metrics.turnsFailed, atLeast: 1 },
    UndosGivenUp: { says: 'holds or sub-tasks were left behind', metric: metrics.undosGivenUp, atLeast: 1 },
    ApiErrors: {
      says: '5 % of the requests or more failed for 10 minutes',
      metric: metrics.serverErrorPercent,
      atLeast: 5,
      periods: 2,
    },
    FunctionErrors: { says: 'functions failed in the background', metric: metrics.backgroundErrors, atLeast: 3 },
    Throttles: { says: 'functions were refused for want of concurrency', metric: metrics.throttles, atLeast: 1 },
    TableThrottles: { says: 'the table refused requests', metric: metrics.tableThrottles, atLeast: 1 },
    ...(metrics.push ? rowsOfPush(metrics.push) : {}),
  };
}

function rowsOfPush({ deadLetters, givenUp, pokesLost }: PushMetrics): Record<string, Row> {
  return {
    PushDeadLetters: { says: 'notifications could not be delivered', metric: deadLetters, atLeast: 1 },
    PushesGivenUp: { says: 'receivers of notifications were given up', metric: givenUp, atLeast: 1 },
    PokesLost: { says: 'notifications are late, their queue did not take them', metric: pokesLost, atLeast: 3 },
  };
}
