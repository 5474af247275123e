import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentTemplate, type Properties, resources } from './stacks.ts';

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
    MetricStat: { Metric: { MetricName: string; Dimensions?: { Value: string }[] }; Stat: string };
  }[];
  if (first?.Expression === undefined) return `${first?.MetricStat.Stat} ${first?.MetricStat.Metric.MetricName}`;
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
    ['TurnsFailed', 'Sum TurnsFailed-Demo-Agent-Metrics-62EA9F79', 1, 1],
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
      'FILL(reads, 0) + FILL(writes, 0) (ReadThrottleEvents <AgentTasksTable>, WriteThrottleEvents <AgentTasksTable>)',
      1,
      1,
    ],
    ['PushDeadLetters', 'Maximum AWS/SQS ApproximateNumberOfMessagesVisible of <AgentPushDeadLetters.QueueName>', 1, 1],
    ['PushesGivenUp', 'Sum PushesGivenUp-Demo-Agent-Metrics-62EA9F79', 1, 1],
    ['PokesLost', 'Sum PokesLost-Demo-Agent-Metrics-62EA9F79', 3, 1],
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

  const [api, worker, deadline, sweep] = ['AgentApiFunction', 'AgentWorker', 'AgentDeadline', 'AgentSweep'];
  it.each([
    ['TurnsFailed', [worker, deadline, sweep]],
    ['PokesLost', [api, worker, deadline, sweep]],
    ['PushesDelivered', ['AgentDeliverPush']],
    ['PushesFailed', ['AgentDeliverPush']],
    ['PushesGivenUp', ['AgentDeliverPush']],
  ])('%s counts the lines that %j write', (metric, functions) => {
    const filters = Object.values(resources(template, 'AWS::Logs::MetricFilter')).map(({ Properties }) => Properties);
    const own = filters.filter(({ FilterPattern }) => FilterPattern === `{ $.metric = "${metric}" }`);
    expect(own.map(({ LogGroupName }) => LogGroupName)).toEqual(functions.map((id) => `<${id}Logs>`));
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
