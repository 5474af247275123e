import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';

const from = (values: Record<string, unknown>) => readContext((name) => values[name]);

describe('-c name=value', () => {
  it('nothing given: the expense agent, safe to remove by accident', () => {
    expect(from({})).toEqual({
      agent: 'expense-agent',
      entry: undefined,
      streaming: true,
      reserveConcurrency: true,
      accountLogRole: true,
      removal: 'retain',
      alarmTopicArn: undefined,
    });
  });

  it('takes strings of the command line and booleans of cdk.json', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:operators';
    expect(
      from({
        agent: 'rooms',
        entry: 'my-agent.ts',
        streaming: 'false',
        reserveConcurrency: false,
        accountLogRole: 'false',
        removal: 'destroy',
        alarmTopicArn,
      }),
    ).toEqual({
      agent: 'rooms',
      entry: 'my-agent.ts',
      streaming: false,
      reserveConcurrency: false,
      accountLogRole: false,
      removal: 'destroy',
      alarmTopicArn,
    });
  });

  it.each([
    ['agent', 'no spaces'],
    ['agent', ''],
    ['entry', 'agent.py'],
    ['streaming', 'yes'],
    ['removal', 'delete'],
    ['alarmTopicArn', 'operators'],
  ])('%s=%s stops the synthesis', (name, value) => {
    expect(() => from({ [name]: value })).toThrow(name);
  });
});
