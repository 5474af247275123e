import { readFileSync } from 'node:fs';
import {
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../client/redrive.ts';

const client = new SQSClient({ region: 'eu-west-1' });
const mock = mockClient(client);

const TURNS = 'askback-demo-AgentTurnsDeadLetters0A1B2C3D-abcDEF123456';
const PUSH = 'askback-demo-AgentPushDeadLetters4E5F6A7B-abcDEF123457';
const url = (name: string) => `https://sqs.eu-west-1.amazonaws.com/111122223333/${name}`;
const arn = (name: string) => `arn:aws:sqs:eu-west-1:111122223333:${name}`;

function queue(name: string, messages: number, ...sources: string[]): void {
  mock.on(GetQueueAttributesCommand, { QueueUrl: url(name) }).resolves({
    Attributes: { QueueArn: arn(name), ApproximateNumberOfMessages: String(messages) },
  });
  mock.on(ListDeadLetterSourceQueuesCommand, { QueueUrl: url(name) }).resolves({ queueUrls: sources.map(url) });
}

beforeEach(() => {
  mock.reset();
  queue('turns', 0);
  queue('push', 0);
  queue(TURNS, 2, 'turns');
  queue(PUSH, 3, 'push');
  mock.on(ListQueuesCommand).resolves({ QueueUrls: [url(PUSH), url(TURNS)] });
  mock.on(StartMessageMoveTaskCommand).resolves({ TaskHandle: 'handle' });
});

async function run(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const regions: (string | undefined)[] = [];
  const connect = (region: string | undefined) => {
    regions.push(region);
    return client;
  };
  const code = await runProgram(args, { connect, out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out, err: err.join('\n'), regions };
}

const moves = () => mock.commandCalls(StartMessageMoveTaskCommand).map(({ args: [{ input }] }) => input);

describe('askback redrive', () => {
  it('sends dead turns and dead pokes of a stack back, each to the queue it came from', async () => {
    expect(await run('redrive', 'askback-demo')).toEqual({
      code: 0,
      out: [
        `${PUSH}: about 3 on their way to push (task handle)`,
        `${TURNS}: about 2 on their way to turns (task handle)`,
      ],
      err: '',
      regions: [undefined],
    });
    expect(moves()).toEqual([
      { SourceArn: arn(PUSH), DestinationArn: arn('push') },
      { SourceArn: arn(TURNS), DestinationArn: arn('turns') },
    ]);
    expect(mock.commandCalls(ListQueuesCommand)[0]?.args[0].input).toMatchObject({ QueueNamePrefix: 'askback-demo-' });
  });

  it('takes nothing that is no dead-letter queue of this very stack', async () => {
    mock.on(ListQueuesCommand).resolves({
      QueueUrls: [
        'askback-demo-AgentTurnsQueue0A1B2C3D-abcDEF123456',
        'askback-demo-AgentDeadlinesDeadLetters0A1B2C3D-abcDEF123456',
        // A stack whose name goes on.
        'askback-demo-two-AgentTurnsDeadLetters0A1B2C3D-abcDEF123456',
      ].map(url),
    });
    expect(await run('redrive', 'askback-demo')).toMatchObject({
      code: 1,
      out: [],
      err: expect.stringContaining('no dead-letter queue is named after the stack askback-demo'),
    });
    expect(moves()).toEqual([]);
  });

  it('refuses half of a stack: an agent without a queue for turns has one with a shortened name', async () => {
    mock.on(ListQueuesCommand).resolves({ QueueUrls: [url(PUSH)] });
    expect(await run('redrive', 'askback-demo')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--queue-url'),
    });
    expect(moves()).toEqual([]);
  });

  it('reads every page of the queues', async () => {
    mock.on(ListQueuesCommand).resolves({ QueueUrls: [url(PUSH)], NextToken: 'more' });
    mock.on(ListQueuesCommand, { NextToken: 'more' }).resolves({ QueueUrls: [url(TURNS)] });
    await run('redrive', 'askback-demo');
    expect(moves()).toHaveLength(2);
  });

  it('--dry-run says what would go and moves nothing', async () => {
    expect(await run('redrive', 'askback-demo', '--dry-run')).toMatchObject({
      code: 0,
      out: [`${PUSH}: about 3 would go to push`, `${TURNS}: about 2 would go to turns`],
    });
    expect(moves()).toEqual([]);
  });

  it('--queue-url names the queues instead of a stack, --region the Region', async () => {
    const done = await run('redrive', '--queue-url', url(TURNS), '--region', 'eu-west-1');
    expect(done).toMatchObject({ code: 0, regions: ['eu-west-1'] });
    expect(moves()).toEqual([{ SourceArn: arn(TURNS), DestinationArn: arn('turns') }]);
    expect(mock.commandCalls(ListQueuesCommand)).toEqual([]);
  });

  it('moves nothing out of an empty queue', async () => {
    queue(TURNS, 0, 'turns');
    expect(await run('redrive', '--queue-url', url(TURNS))).toMatchObject({
      code: 0,
      out: [`${TURNS}: holds no messages`],
    });
    expect(moves()).toEqual([]);
  });

  it.each([[[]], [['turns', 'others']]])(
    'refuses the dead letters of the queues %j: where to is not known',
    async (sources) => {
      queue('timers', 1, ...sources);
      expect(await run('redrive', '--queue-url', url('timers'))).toMatchObject({
        code: 1,
        err: expect.stringContaining('timers: not the dead-letter queue of exactly one queue'),
      });
      expect(moves()).toEqual([]);
    },
  );

  it('a queue that cannot be sent back keeps no other, and the program ends with 1', async () => {
    mock
      .on(StartMessageMoveTaskCommand, { SourceArn: arn(PUSH) })
      .rejects(new Error('There is already a task running'));
    expect(await run('redrive', 'askback-demo')).toMatchObject({
      code: 1,
      out: [`${TURNS}: about 2 on their way to turns (task handle)`],
      err: `${PUSH}: There is already a task running`,
    });
  });

  it('says what AWS says when the queues cannot be listed', async () => {
    mock.on(ListQueuesCommand).rejects(new Error('Access denied'));
    expect(await run('redrive', 'askback-demo')).toMatchObject({ code: 1, err: 'askback: Access denied' });
  });

  it.each([
    ['Region is missing', 'no Region is known: give --region, or set AWS_REGION'],
    ['Could not load credentials from any providers', 'no credentials are found: set AWS_PROFILE, or log in with aws'],
  ])('says what to do where the SDK says "%s"', async (said, told) => {
    mock.on(ListQueuesCommand).rejects(new Error(said));
    expect(await run('redrive', 'askback-demo')).toMatchObject({ code: 1, err: `askback: ${told}` });
  });

  it.each([
    [[], 'a command is missing'],
    [['retry'], 'there is no command retry'],
    [['redrive'], 'give either a stack or --queue-url'],
    [['redrive', 'askback-demo', '--queue-url', url(TURNS)], 'give either a stack or --queue-url'],
    [['redrive', 'one', 'two'], 'one stack at a time: two is too much'],
    [['redrive', '--queue-url', 'turns'], '--queue-url turns is no address'],
    [['redrive', 'askback-demo', '--force'], "Unknown option '--force'"],
  ])('%j ends with 2 and the help, and asks AWS nothing', async (args, why) => {
    const { code, err, out, regions } = await run(...args);
    expect({ code, out, regions }).toEqual({ code: 2, out: [], regions: [] });
    expect(err).toContain(`askback: ${why}`);
    expect(err).toContain('Usage: askback redrive <stack>');
  });

  it('--help ends with 0', async () => {
    const { code, out, err } = await run('redrive', '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.join('\n')).toMatch(/^Usage: askback redrive <stack>/);
  });

  it('is the program of the package', () => {
    const { bin } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      bin: Record<string, string>;
    };
    expect(bin).toEqual({ askback: 'dist/client/askback.js' });
    const program = readFileSync(new URL('../../client/askback.ts', import.meta.url), 'utf8');
    expect(program.split('\n')[0]).toBe('#!/usr/bin/env node');
  });
});
