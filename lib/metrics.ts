/** The numbers that alarms and the dashboard look at, each defined once. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { index } from '../aws/table-keys.ts';
import type { Metric as CountMetric, TimeMetric } from '../core/effects.ts';
import { METRICS_NAMESPACE, SERVICE } from '../core/metric-names.ts';
import type { AgentApi } from './agent-api.ts';
import type { AgentFunctions } from './agent-function.ts';
import type { Deadlines } from './deadlines.ts';
import type { PushQueue } from './push-queue.ts';
import type { TaskTable } from './task-table.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface Observed {
  /** What its functions call the agent in their metrics. */
  readonly metricsAgent: string;
  readonly api: AgentApi;
  readonly functions: AgentFunctions;
  readonly turns: TurnQueue;
  readonly deadlines: Deadlines;
  readonly tasks: TaskTable;
  /** Absent where no notifications are sent. */
  readonly push?: PushQueue | undefined;
}

/** Of what is asked, and of what comes of it. */
export interface QuestionMetrics {
  readonly asked: IMetric;
  readonly answered: IMetric;
  readonly reasked: IMetric;
  readonly declined: IMetric;
  readonly expired: IMetric;
  readonly overdue: IMetric;
  readonly reminders: IMetric;
  /** Milliseconds, median and p95. */
  readonly timeToAnswer: readonly IMetric[];
  readonly answerToResume: readonly IMetric[];
}

/** Of credentials that an agent waits for. */
export interface AuthMetrics {
  readonly required: IMetric;
  readonly granted: IMetric;
  readonly declined: IMetric;
  readonly expired: IMetric;
}

/** Of what is recovered from: none of it is seen by callers. */
export interface RecoveryMetrics {
  readonly duplicatesDropped: IMetric;
  readonly racesLost: IMetric;
  readonly leasesTakenOver: IMetric;
  readonly dispatchesLost: IMetric;
  readonly timersLost: IMetric;
}

/** Of notifications. */
export interface PushMetrics {
  readonly deadLetters: IMetric;
  readonly waiting: IMetric;
  readonly oldestSeconds: IMetric;
  readonly delivered: IMetric;
  readonly failed: IMetric;
  readonly givenUp: IMetric;
  readonly pokesLost: IMetric;
}

export const PERIOD = Duration.minutes(5);
const SUM = { period: PERIOD, statistic: 'Sum' } as const;
const MAX = { period: PERIOD, statistic: 'Maximum' } as const;
/** Fewer failures than this are no rate, however few the requests. */
const FAILURES_OF_A_RATE = 3;

export class AgentMetrics {
  readonly turnDeadLetters: IMetric;
  readonly timerDeadLetters: IMetric;
  readonly oldestTurnSeconds: IMetric;
  readonly turnsWaiting: IMetric;
  readonly requests: IMetric;
  readonly clientErrors: IMetric;
  readonly serverErrors: IMetric;
  readonly latency: IMetric;
  readonly serverErrorPercent: IMetric;
  readonly backgroundErrors: IMetric;
  readonly throttles: IMetric;
  readonly tableThrottles: IMetric;
  readonly sweeps: IMetric;
  readonly turnsFailed: IMetric;
  readonly undosGivenUp: IMetric;
  readonly questions: QuestionMetrics;
  readonly auths: AuthMetrics;
  readonly recovery: RecoveryMetrics;
  readonly push: PushMetrics | undefined;
  readonly #agent: string;

  constructor({ metricsAgent, api, functions, turns, deadlines, tasks, push }: Observed) {
    this.#agent = metricsAgent;
    this.turnDeadLetters = turns.deadLetters.metricApproximateNumberOfMessagesVisible(MAX);
    this.timerDeadLetters = deadlines.deadLetters.metricApproximateNumberOfMessagesVisible(MAX);
    this.oldestTurnSeconds = turns.queue.metricApproximateAgeOfOldestMessage(MAX);
    this.turnsWaiting = turns.queue.metricApproximateNumberOfMessagesVisible(MAX);
    this.requests = api.api.metricCount(SUM);
    this.clientErrors = api.api.metricClientError(SUM);
    this.serverErrors = api.api.metricServerError(SUM);
    this.latency = api.api.metricLatency({ period: PERIOD, statistic: 'p95' });
    this.serverErrorPercent = new MathExpression({
      expression: `IF(failed >= ${FAILURES_OF_A_RATE}, 100 * failed / requests, 0)`,
      usingMetrics: { failed: this.serverErrors, requests: this.requests },
      label: 'failed requests, percent',
      period: PERIOD,
    });
    const { 'run-turn': runTurn, deadline, sweep, 'deliver-push': deliverPush } = functions;
    this.backgroundErrors = sum('errors', {
      worker: runTurn.function.metricErrors(SUM),
      deadline: deadline.function.metricErrors(SUM),
      sweep: sweep.function.metricErrors(SUM),
      ...(deliverPush ? { push: deliverPush.function.metricErrors(SUM) } : {}),
    });
    // Not the sweeper's: a sweep that starts while another runs is meant to be refused.
    this.throttles = sum('refused invocations', {
      api: functions.api.function.metricThrottles(SUM),
      worker: runTurn.function.metricThrottles(SUM),
      deadline: deadline.function.metricThrottles(SUM),
      ...(deliverPush ? { push: deliverPush.function.metricThrottles(SUM) } : {}),
    });
    this.tableThrottles = sum('throttled table requests', throttlesOf(tasks));
    this.sweeps = sweep.function.metricInvocations(SUM);
    this.turnsFailed = this.#counted('TurnsFailed');
    this.undosGivenUp = this.#counted('UndosGivenUp');
    this.questions = {
      asked: this.#counted('QuestionsAsked'),
      answered: this.#counted('QuestionsAnswered'),
      reasked: this.#counted('QuestionsReasked'),
      declined: this.#counted('QuestionsDeclined'),
      expired: this.#counted('QuestionsExpired'),
      overdue: this.#counted('QuestionsOverdue'),
      reminders: this.#counted('RemindersSent'),
      timeToAnswer: this.#measured('TimeToAnswer'),
      answerToResume: this.#measured('AnswerToResume'),
    };
    this.auths = {
      required: this.#counted('AuthsRequired'),
      granted: this.#counted('AuthsGranted'),
      declined: this.#counted('AuthsDeclined'),
      expired: this.#counted('AuthsExpired'),
    };
    this.recovery = {
      duplicatesDropped: this.#counted('DuplicatesDropped'),
      racesLost: this.#counted('RacesLost'),
      leasesTakenOver: this.#counted('LeasesTakenOver'),
      dispatchesLost: this.#counted('DispatchesLost'),
      timersLost: this.#counted('TimersLost'),
    };
    this.push = push && this.#ofPush(push);
  }

  #ofPush({ queue, deadLetters }: PushQueue): PushMetrics {
    return {
      deadLetters: deadLetters.metricApproximateNumberOfMessagesVisible(MAX),
      waiting: queue.metricApproximateNumberOfMessagesVisible(MAX),
      oldestSeconds: queue.metricApproximateAgeOfOldestMessage(MAX),
      delivered: this.#counted('PushesDelivered'),
      failed: this.#counted('PushesFailed'),
      givenUp: this.#counted('PushesGivenUp'),
      pokesLost: this.#counted('PokesLost'),
    };
  }

  #counted(metric: CountMetric): Metric {
    return this.#own(metric, { label: metric, ...SUM });
  }

  #measured(metric: TimeMetric): readonly Metric[] {
    return ['p50', 'p95'].map((statistic) =>
      this.#own(metric, { label: `${metric}, ${statistic}`, statistic, period: PERIOD }),
    );
  }

  /** As functions/lambda-log.ts writes it, from whichever function. */
  #own(metricName: string, how: { label: string; statistic: string; period: Duration }): Metric {
    const dimensionsMap = { service: SERVICE, agent: this.#agent };
    return new Metric({ namespace: METRICS_NAMESPACE, metricName, dimensionsMap, ...how });
  }
}

/** Of the table and of each index: DynamoDB counts what an index refuses under its name only. */
function throttlesOf({ table }: TaskTable): Record<string, Metric> {
  const both = (name: string, dimensionsMap: Record<string, string>) => ({
    [name === '' ? 'reads' : `${name}Reads`]: table.metric('ReadThrottleEvents', { ...SUM, dimensionsMap }),
    [name === '' ? 'writes' : `${name}Writes`]: table.metric('WriteThrottleEvents', { ...SUM, dimensionsMap }),
  });
  const own = { TableName: table.tableName };
  const ofIndexes = Object.values(index).map((name) => both(name, { ...own, GlobalSecondaryIndexName: name }));
  return Object.assign(both('', own), ...ofIndexes) as Record<string, Metric>;
}

/** A function that was not invoked has no numbers at all, and a sum with a part that is missing is missing. */
function sum(label: string, usingMetrics: Record<string, Metric>): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, period: PERIOD });
}
