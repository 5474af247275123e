/** The numbers that alarms and the dashboard look at, each defined once. */
import { Duration, Names } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AgentApi } from './agent-api.ts';
import type { AgentFunction, AgentFunctions } from './agent-function.ts';
import type { Deadlines } from './deadlines.ts';
import type { PushQueue } from './push-queue.ts';
import type { TaskTable } from './task-table.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface Observed {
  readonly agent: string;
  readonly api: AgentApi;
  readonly functions: AgentFunctions;
  readonly turns: TurnQueue;
  readonly deadlines: Deadlines;
  readonly tasks: TaskTable;
  /** Absent where no notifications are sent. */
  readonly push?: PushQueue | undefined;
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

export class AgentMetrics extends Construct {
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
  readonly push: PushMetrics | undefined;

  constructor(scope: Construct, id: string, { api, functions, turns, deadlines, tasks, push }: Observed) {
    super(scope, id);
    const { table } = tasks;
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
    this.tableThrottles = sum('throttled table requests', {
      reads: table.metric('ReadThrottleEvents', SUM),
      writes: table.metric('WriteThrottleEvents', SUM),
    });
    this.sweeps = sweep.function.metricInvocations(SUM);
    this.turnsFailed = this.#counted('TurnsFailed', [runTurn, deadline, sweep]);
    this.push = push && deliverPush && this.#ofPush(push, deliverPush, [functions.api, runTurn, deadline, sweep]);
  }

  /** @param poking those whose writes poke receivers (core/operations/perform.ts) */
  #ofPush(
    { queue, deadLetters }: PushQueue,
    deliverPush: AgentFunction,
    poking: readonly AgentFunction[],
  ): PushMetrics {
    return {
      deadLetters: deadLetters.metricApproximateNumberOfMessagesVisible(MAX),
      waiting: queue.metricApproximateNumberOfMessagesVisible(MAX),
      oldestSeconds: queue.metricApproximateAgeOfOldestMessage(MAX),
      delivered: this.#counted('PushesDelivered', [deliverPush]),
      failed: this.#counted('PushesFailed', [deliverPush]),
      givenUp: this.#counted('PushesGivenUp', [deliverPush]),
      pokesLost: this.#counted('PokesLost', poking),
    };
  }

  /** One of the metrics of core/effects.ts, counted from the lines that functions/json-log.ts writes for it. */
  #counted(metric: string, functions: readonly AgentFunction[]): Metric {
    const namespace = 'Askback';
    const metricName = `${metric}-${Names.uniqueResourceName(this, { maxLength: 128, separator: '-' })}`;
    for (const [index, { logGroup }] of functions.entries()) {
      new MetricFilter(this, `${metric}${index + 1}`, {
        logGroup,
        filterPattern: FilterPattern.stringValue('$.metric', '=', metric),
        metricNamespace: namespace,
        metricName,
        metricValue: '1',
      });
    }
    return new Metric({ namespace, metricName, label: metric, ...SUM });
  }
}

/** A function that was not invoked has no numbers at all, and a sum with a part that is missing is missing. */
function sum(label: string, usingMetrics: Record<string, Metric>): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, period: PERIOD });
}
