import { Template } from 'aws-cdk-lib/assertions';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkNames, readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { properties, resources, unbundledApp } from './stacks.ts';

const CARD_KEY = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:askback/card-key-AbCdEf';
const from = (values: Record<string, unknown>) => readContext((name) => values[name]);

describe('-c name=value', () => {
  it('nothing given: the expense agent, safe to remove by accident', () => {
    expect(from({})).toEqual({
      agent: 'expense-agent',
      entry: undefined,
      streaming: true,
      push: true,
      inbox: false,
      auth: 'iam',
      cardKeyArn: undefined,
      cardKeysUrl: undefined,
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
        push: 'false',
        inbox: 'true',
        issuer: 'https://login.example.com/',
        audience: 'expenses,https://agents.example.com',
        tenantClaim: 'https://example.com/tenant',
        cardKeyArn: CARD_KEY,
        cardKeysUrl: 'https://example.com/jwks.json',
        reserveConcurrency: false,
        accountLogRole: 'false',
        removal: 'destroy',
        alarmTopicArn,
      }),
    ).toEqual({
      agent: 'rooms',
      entry: 'my-agent.ts',
      streaming: false,
      push: false,
      inbox: true,
      auth: {
        issuer: 'https://login.example.com/',
        audience: ['expenses', 'https://agents.example.com'],
        tenantClaim: 'https://example.com/tenant',
      },
      cardKeyArn: CARD_KEY,
      cardKeysUrl: 'https://example.com/jwks.json',
      reserveConcurrency: false,
      accountLogRole: false,
      removal: 'destroy',
      alarmTopicArn,
    });
  });

  it('reaches the stack: without streams, notifications and reserved concurrency', () => {
    const context = from({ streaming: 'false', push: 'false', reserveConcurrency: 'false' });
    const template = Template.fromStack(addAgentStack(unbundledApp(), context));
    const api = properties(template, 'AWS::Lambda::Function', 'AgentApiFunction');
    expect(api.Environment).toMatchObject({ Variables: { ASKBACK_STREAMING: 'off' } });
    expect(api.ReservedConcurrentExecutions).toBeUndefined();
    expect(Object.keys(resources(template, 'AWS::SQS::Queue'))).toEqual([
      'AgentTurnsDeadLetters',
      'AgentTurnsQueue',
      'AgentDeadlinesDeadLetters',
    ]);
  });

  it.each([
    ['agent', 'no spaces'],
    ['agent', ''],
    ['entry', 'agent.py'],
    ['streaming', 'yes'],
    ['push', 'no'],
    ['issuer', 'http://login.example.com'],
    ['audience', 'two words'],
    ['removal', 'delete'],
    ['alarmTopicArn', 'operators'],
  ])('%s=%s stops the synthesis', (name, value) => {
    expect(() => from({ [name]: value })).toThrow(name);
  });

  it.each([['isuer'], ['Streaming'], ['tenant']])('the name %s stops it as well: it would mean a default', (name) => {
    expect(() => checkNames(['agent', name])).toThrow(`-c ${name}=... means nothing here; there are agent, `);
  });

  it('names of the CDK’s own are none of ours', () => {
    expect(() => checkNames(['aws:cdk:bundling-stacks', '@aws-cdk/core:x', 'cli-telemetry', 'audience'])).not.toThrow();
  });

  it('each name has its row in docs/operations.md, and no other has', () => {
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const table = text.slice(text.indexOf('| `-c name=value`'), text.indexOf('### From a CDK app'));
    const rows = table.split('\n').filter((row) => /^\| `\w+`/.test(row));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(
      Object.keys(from({ issuer: 'https://a.example', audience: 'b', tenantClaim: 'c' }))
        .flatMap((name) => (name === 'auth' ? ['issuer', 'audience', 'tenantClaim'] : [name]))
        .sort(),
    );
  });

  it('an agent of yours without a name stops it: it would take the place of the expense agent', () => {
    expect(() => from({ entry: 'my-agent.ts' })).toThrow('-c agent=... is missing');
    expect(from({ entry: 'my-agent.ts', agent: 'rooms' })).toMatchObject({ entry: 'my-agent.ts', agent: 'rooms' });
  });

  it('an issuer without an audience, or the other way round, stops it and does not mean IAM', () => {
    expect(() => from({ issuer: 'https://login.example.com' })).toThrow('-c audience=... is missing');
    expect(() => from({ audience: 'expenses' })).toThrow('-c issuer=https://... is missing');
    expect(() => from({ tenantClaim: 'tenant' })).toThrow('-c issuer=https://... is missing');
  });
});
