import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ALARM_METRICS } from '../../bench/cost.ts';
import { AskbackAgent } from '../../lib/askback-agent.ts';
import { agentTemplate, ENTRY, type Properties, properties, resources, unbundledApp } from './stacks.ts';

const template = agentTemplate();
const ALARM = 'AWS::CloudWatch::Alarm';
const alarms = resources(template, ALARM);

/** What an alarm looks at, in one line. */
function look({ Namespace, MetricName, Metrics, Statistic, Dimensions }: Properties): string {
  if (Metrics === undefined) {
    const [dimension] = Dimensions as { Value: string }[];
    return `${Statistic} ${Namespace} ${MetricName} of ${dimension?.Value}`;
  }
  const [first, ...parts] = Metrics as {
    Expression?: string;
    MetricStat: {
      Metric: { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: string }[] };
      Stat: string;
    };
  }[];
  if (first?.Expression === undefined) {
    const { Namespace, MetricName, Dimensions = [] } = first?.MetricStat.Metric ?? {};
    const of = Dimensions.map(({ Name, Value }) => `${Name} ${Value}`);
    return `${first?.MetricStat.Stat} ${Namespace} ${MetricName} of ${of.join(', ')}`;
  }
  const of = parts.map(({ MetricStat: { Metric } }) => `${Metric.MetricName} ${Metric.Dimensions?.[0]?.Value}`);
  return `${first.Expression} (${of.join(', ')})`;
}

describe('alarms', () => {
  it.each([
    [
      'TurnDeadLetters',
      'Maximum AWS/SQS ApproximateNumberOfMessagesVisible of <AgentTurnsDeadLetters.QueueName>',
      1,
      1,
    ],
    [
      'TimerDeadLetters',
      'Maximum AWS/SQS ApproximateNumberOfMessagesVisible of <AgentDeadlinesDeadLetters.QueueName>',
      1,
      1,
    ],
    ['OldestTurn', 'Maximum AWS/SQS ApproximateAgeOfOldestMessage of <AgentTurnsQueue.QueueName>', 1_260, 1],
    ['OverdueQuestions', 'Sum Askback QuestionsOverdue of agent Demo-Agent-551BDB68, service askback', 1, 1],
    ['UndosGivenUp', 'Sum Askback UndosGivenUp of agent Demo-Agent-551BDB68, service askback', 1, 1],
    ['TurnsFailed', 'Sum Askback TurnsFailed of agent Demo-Agent-551BDB68, service askback', 1, 1],
    [
      'ApiErrors',
      'IF(failed >= 3, 100 * failed / requests, 0) (5XXError Demo-Agent-Api-65A34908, Count Demo-Agent-Api-65A34908)',
      5,
      2,
    ],
    [
      'FunctionErrors',
      'FILL(worker, 0) + FILL(deadline, 0) + FILL(sweep, 0) + FILL(push, 0) (Errors <AgentWorkerFunction>, Errors <AgentDeadlineFunction>, Errors <AgentSweepFunction>, Errors <AgentDeliverPushFunction>)',
      3,
      1,
    ],
    [
      'Throttles',
      'FILL(api, 0) + FILL(worker, 0) + FILL(deadline, 0) + FILL(push, 0) (Throttles <AgentApiFunction>, Throttles <AgentWorkerFunction>, Throttles <AgentDeadlineFunction>, Throttles <AgentDeliverPushFunction>)',
      1,
      1,
    ],
    [
      'TableThrottles',
      'FILL(reads, 0) + FILL(writes, 0) + FILL(byOwnerReads, 0) + FILL(byOwnerWrites, 0) + FILL(byContextReads, 0) + FILL(byContextWrites, 0) + FILL(dueReads, 0) + FILL(dueWrites, 0) (ReadThrottleEvents <AgentTasksTable>, WriteThrottleEvents <AgentTasksTable>, ReadThrottleEvents byOwner, WriteThrottleEvents byOwner, ReadThrottleEvents byContext, WriteThrottleEvents byContext, ReadThrottleEvents due, WriteThrottleEvents due)',
      1,
      1,
    ],
    ['PushDeadLetters', 'Maximum AWS/SQS ApproximateNumberOfMessagesVisible of <AgentPushDeadLetters.QueueName>', 1, 1],
    ['PushesGivenUp', 'Sum Askback PushesGivenUp of agent Demo-Agent-551BDB68, service askback', 1, 1],
    ['PokesLost', 'Sum Askback PokesLost of agent Demo-Agent-551BDB68, service askback', 3, 1],
  ])('%s', (name, looksAt, Threshold, EvaluationPeriods) => {
    const alarm = alarms[`AgentAlarms${name}`]?.Properties as Properties;
    expect(look(alarm)).toBe(looksAt);
    expect(alarm).toMatchObject({
      Threshold,
      EvaluationPeriods,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it('SweeperSilent goes off when there is nothing to see', () => {
    expect(alarms.AgentAlarmsSweeperSilent?.Properties).toMatchObject({
      MetricName: 'Invocations',
      Dimensions: [{ Name: 'FunctionName', Value: '<AgentSweepFunction>' }],
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 3,
      Period: 300,
      TreatMissingData: 'breaching',
    });
  });

  it('are by agent: two agents of one stack share no metric of ours', () => {
    const stack = new Stack(unbundledApp(), 'Demo');
    for (const id of ['One', 'Two']) new AskbackAgent(stack, id, { entry: ENTRY, accountLogRole: false });
    const own = Object.values(resources(Template.fromStack(stack), ALARM)).map(({ Properties }) => look(Properties));
    const ours = own.filter((line) => line.startsWith('Sum Askback'));
    expect([ours.length, new Set(ours).size]).toEqual([10, 10]);
  });

  it('watch nothing of notifications where there are none', () => {
    const others = Object.keys(resources(agentTemplate({ push: false }), ALARM));
    const ofPush = ['AgentAlarmsPushDeadLetters', 'AgentAlarmsPushesGivenUp', 'AgentAlarmsPokesLost'];
    expect([...others, ...ofPush].sort()).toEqual(Object.keys(alarms).sort());
  });

  it('OldestTurn allows for the longest retry: 15 minutes and one whole delivery', () => {
    // 900 s + (300 s + 60 s), as the turn queue of this agent has it.
    expect(alarms.AgentAlarmsOldestTurn?.Properties.Threshold).toBe(1_260);
  });

  it('look at 28 metrics, each of which is billed (bench/cost.ts)', () => {
    const looked = Object.values(alarms).map(({ Properties: { Metrics } }) =>
      Metrics === undefined ? 1 : (Metrics as { MetricStat?: unknown }[]).filter((one) => one.MetricStat).length,
    );
    expect([looked.reduce((sum, one) => sum + one, 0), ALARM_METRICS]).toEqual([28, 28]);
  });

  it('every metric that the code writes has its row in docs/operations.md, and no other', () => {
    const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const written = [...read('core/effects.ts').matchAll(/^ {2}\| '([A-Z]\w+)'/gm)].map(([, name]) => name);
    const text = read('docs/operations.md');
    const chapter = text.slice(text.indexOf('\n## Metrics'), text.indexOf('\n## Dead letters'));
    const rows = chapter.split('\n').filter((row) => /^\| `/.test(row));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(written.sort());
  });

  it('tell the topic that is given when they go off and when they are over', () => {
    const topic = 'arn:aws:sns:eu-west-1:111122223333:operators';
    for (const { Properties } of Object.values(resources(agentTemplate({}, topic), ALARM))) {
      expect(Properties).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
    }
  });

  it('and the dashboard can be left out', () => {
    const without = agentTemplate({ alarms: false });
    expect(resources(without, ALARM)).toEqual({});
    expect(resources(without, 'AWS::CloudWatch::Dashboard')).toEqual({});
    expect(Object.keys(resources(template, 'AWS::CloudWatch::Dashboard'))).toEqual(['AgentDashboard']);
  });

  it('each has its chapter in docs/operations.md, and the document has no other', () => {
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const chapter = text.slice(text.indexOf('\n## Alarms'), text.indexOf('\n## Dead letters'));
    const described = [...chapter.matchAll(/^### (\w+)$/gm)].map(([, name]) => `AgentAlarms${name}`);
    expect(described.sort()).toEqual(Object.keys(alarms).sort());
    for (const [id, { Properties }] of Object.entries(alarms)) {
      expect(Properties.AlarmDescription).toContain(`See ${id.slice('AgentAlarms'.length)} in docs/operations.md.`);
    }
  });
});

describe('the dashboard', () => {
  type Widget = { properties: { title?: string; metrics?: unknown[][]; yAxis?: unknown } };
  const { DashboardBody } = properties(template, 'AWS::CloudWatch::Dashboard') as { DashboardBody: string };
  const { widgets } = JSON.parse(DashboardBody) as { widgets: Widget[] };
  /** Our own metrics of a graph, by name and statistic. */
  const shown = (title: string) =>
    widgets
      .filter(({ properties }) => properties.title === title)
      .flatMap(({ properties }) => properties.metrics ?? [])
      .map(([namespace, name, ...rest]) => {
        const { stat } = rest.at(-1) as { stat: string };
        expect([namespace, ...rest.slice(0, 4)]).toEqual([
          'Askback',
          'agent',
          'Demo-Agent-551BDB68',
          'service',
          'askback',
        ]);
        return `${name} ${stat}`;
      });

  it.each([
    [
      'Questions',
      [
        'QuestionsAsked Sum',
        'QuestionsAnswered Sum',
        'QuestionsReasked Sum',
        'QuestionsDeclined Sum',
        'QuestionsExpired Sum',
      ],
    ],
    ['From question to answer, milliseconds', ['TimeToAnswer p50', 'TimeToAnswer p95']],
    ['From answer to worker, milliseconds', ['AnswerToResume p50', 'AnswerToResume p95']],
    ['Authorisations', ['AuthsRequired Sum', 'AuthsGranted Sum', 'AuthsDeclined Sum', 'AuthsExpired Sum']],
    ['Reminders', ['RemindersSent Sum']],
    ['Overdue questions', ['QuestionsOverdue Sum']],
    ['Duplicates and races', ['DuplicatesDropped Sum', 'RacesLost Sum']],
    ['Recovered by the sweeper', ['LeasesTakenOver Sum', 'DispatchesLost Sum', 'TimersLost Sum']],
    ['Notifications', ['PushesDelivered Sum', 'PushesFailed Sum', 'PushesGivenUp Sum', 'PokesLost Sum']],
  ])('%s', (title, metrics) => {
    expect(shown(title)).toEqual(metrics);
  });

  it('has every metric that the code writes', () => {
    const read = readFileSync(new URL('../../core/effects.ts', import.meta.url), 'utf8');
    const written = [...read.matchAll(/^ {2}\| '([A-Z]\w+)'/gm)].map(([, name]) => name);
    const shownSomewhere = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    const own = shownSomewhere.filter(([namespace]) => namespace === 'Askback').map(([, name]) => name);
    expect([...new Set(own)].sort()).toEqual(written.sort());
  });

  it('has the dead letters of all queues', () => {
    const [first] = widgets;
    expect(first?.properties.title).toBe('Dead letters');
    expect(first?.properties.metrics?.map(([, name]) => name)).toEqual([
      'ApproximateNumberOfMessagesVisible',
      'ApproximateNumberOfMessagesVisible',
      'ApproximateNumberOfMessagesVisible',
      'TurnsFailed',
      'UndosGivenUp',
    ]);
  });
});
