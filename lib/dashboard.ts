/** One page with what the alarms look at and what one looks at next. */
import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, SingleValueWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type AgentMetrics, type Observed, PERIOD, type PushMetrics } from './metrics.ts';

const WIDTH = 8;

export class AgentDashboard extends Construct {
  constructor(scope: Construct, id: string, { functions }: Observed, metrics: AgentMetrics) {
    super(scope, id);
    const lambdas = Object.values(functions).map((one) => one.function);
    const each = { period: PERIOD };
    new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(3),
      widgets: [
        [
          new SingleValueWidget({
            title: 'Dead letters',
            width: 24,
            height: 3,
            metrics: [
              metrics.turnDeadLetters,
              metrics.timerDeadLetters,
              ...(metrics.push ? [metrics.push.deadLetters] : []),
              metrics.turnsFailed,
              metrics.undosGivenUp,
            ],
          }),
        ],
        ...rowsOfQuestions(metrics),
        [
          graph('Requests', [metrics.requests, metrics.clientErrors, metrics.serverErrors]),
          graph('Latency, p95', [metrics.latency]),
          graph('Failed requests, percent', [metrics.serverErrorPercent]),
        ],
        [
          graph('Oldest turn, seconds', [metrics.oldestTurnSeconds]),
          graph('Turns waiting', [metrics.turnsWaiting]),
          graph('Sweeps', [metrics.sweeps]),
        ],
        ...(metrics.push ? [rowOfPush(metrics.push)] : []),
        [
          graph(
            'Invocations',
            lambdas.map((one) => one.metricInvocations(each)),
          ),
          graph(
            'Errors',
            lambdas.map((one) => one.metricErrors(each)),
          ),
          graph(
            'Duration, p95',
            lambdas.map((one) => one.metricDuration({ ...each, statistic: 'p95' })),
          ),
        ],
        [
          graph(
            'Concurrency',
            lambdas.map((one) => one.metric('ConcurrentExecutions', { ...each, statistic: 'Maximum' })),
          ),
          graph('Refused invocations', [metrics.throttles]),
          graph('Throttled table requests', [metrics.tableThrottles]),
        ],
      ],
    });
  }
}

function rowsOfQuestions({ questions, auths, recovery }: AgentMetrics): GraphWidget[][] {
  const { asked, answered, reasked, declined, expired, overdue, reminders, timeToAnswer, answerToResume } = questions;
  const { duplicatesDropped, racesLost, leasesTakenOver, dispatchesLost, timersLost } = recovery;
  return [
    [
      graph('Questions', [asked, answered, reasked, declined, expired]),
      graph('From question to answer, milliseconds', timeToAnswer),
      graph('From answer to worker, milliseconds', answerToResume),
    ],
    [
      graph('Authorisations', [auths.required, auths.granted, auths.declined, auths.expired]),
      graph('Reminders', [reminders]),
    ],
    [
      graph('Overdue questions', [overdue]),
      graph('Duplicates and races', [duplicatesDropped, racesLost]),
      graph('Recovered by the sweeper', [leasesTakenOver, dispatchesLost, timersLost]),
    ],
  ];
}

function rowOfPush({ delivered, failed, givenUp, pokesLost, oldestSeconds, waiting }: PushMetrics): GraphWidget[] {
  return [
    graph('Notifications', [delivered, failed, givenUp, pokesLost]),
    graph('Oldest poke, seconds', [oldestSeconds]),
    graph('Pokes waiting', [waiting]),
  ];
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: WIDTH, height: 6 });
}
