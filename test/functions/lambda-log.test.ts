/** Log lines and metrics: JSON, named by invocation, without what callers sent (design section 10). */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import { createLambdaLog } from '../../functions/lambda-log.ts';
import { withLogFields } from '../../functions/log-fields.ts';

const AGENT = 'askback-expense-agent-Agent-62EA9F79';
const TIME = '2026-11-30T10:00:00.000Z';

/** As Powertools writes: the first two levels on one stream, the others on the other. */
let lines: Record<string, unknown>[] = [];
const take = (text: unknown) => {
  lines.push(JSON.parse(String(text)));
  return true;
};
const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(TIME) });
  for (const stream of streams) stream.mockImplementation(take);
});
beforeEach(() => {
  lines = [];
});
afterAll(() => {
  for (const stream of streams) stream.mockRestore();
  vi.useRealTimers();
});

const NAMED = { timestamp: TIME, service: 'askback', agent: AGENT, sampling_rate: 0 };

describe('the log of the functions', () => {
  it('writes level, time, service, agent, message and plain fields', () => {
    createLambdaLog({ agent: AGENT }).info('swept', { found: 3, failed: 0, ok: false, taskId: 't1' });
    expect(lines).toEqual([
      { ...NAMED, level: 'INFO', message: 'swept', found: 3, failed: 0, ok: false, taskId: 't1' },
    ]);
  });

  it('R45: omits nested values and redacts secrets by name; fields cannot replace what names the line', () => {
    createLambdaLog({ agent: AGENT }).warn('x', {
      message: 'forged',
      level: 'info',
      service: 'forged',
      agent: 'forged',
      timestamp: 'forged',
      sampling_rate: 1,
      body: { parts: [{ text: 'private' }] },
      list: ['private'],
      leaseToken: 'private',
      Authorization: 'Bearer private',
      secretKey: 'private',
    });
    expect(lines).toEqual([
      {
        ...NAMED,
        level: 'WARN',
        message: 'x',
        body: '[omitted]',
        list: '[omitted]',
        leaseToken: '[redacted]',
        Authorization: '[redacted]',
        secretKey: '[redacted]',
      },
    ]);
  });

  it('writes errors with reason, stack and causes, cut to a bounded size, and nothing else that they carry', () => {
    const cause = Object.assign(new Error('c'.repeat(5_000)), { $response: { body: 'private' }, sent: 'private' });
    createLambdaLog().error('failed', { error: new RetryableError('THROTTLED', 'slow down', { cause }) });
    expect(lines[0]).toMatchObject({
      level: 'ERROR',
      error: {
        name: 'RetryableError',
        reason: 'THROTTLED',
        message: 'slow down',
        stack: expect.stringMatching(/^RetryableError: slow down\n {4}at /),
      },
    });
    const { error } = lines[0] as { error: { cause: { message: string } } };
    expect(error.cause.message.length).toBe(1_003);
    expect(JSON.stringify(lines)).not.toContain('private');
  });

  it('keeps quiet below its level; metrics are no matter of level', () => {
    const log = createLambdaLog({ level: 'warn' });
    log.info('a');
    log.warn('b');
    log.error('c');
    createLambdaLog({ level: 'silent' }).error('d');
    log.count('TimersLost');
    expect(lines.map(({ message, TimersLost }) => message ?? TimersLost)).toEqual(['b', 'c', 1]);
  });

  it('adds the fields of the invocation to every line inside it, also across waits, and to no other', async () => {
    const log = createLambdaLog();
    await Promise.all(
      ['r1', 'r2'].map((correlation_id) =>
        withLogFields({ correlation_id }, async () => {
          await Promise.resolve();
          log.info(`in ${correlation_id}`);
        }),
      ),
    );
    log.info('outside');
    expect(lines.map(({ message, correlation_id }) => [message, correlation_id])).toEqual([
      ['in r1', 'r1'],
      ['in r2', 'r2'],
      ['outside', undefined],
    ]);
  });
});

describe('the metrics of the functions', () => {
  it('leave at once, in the embedded metric format, by service and agent and nothing that has no bounds', () => {
    const log = createLambdaLog({ agent: AGENT });
    withLogFields({ correlation_id: 'r1' }, () => log.count('QuestionsAsked'));
    log.measure('TimeToAnswer', 90_000);
    const emf = (Name: string, Unit: string, value: number) => ({
      _aws: {
        Timestamp: 1_796_032_800_000,
        CloudWatchMetrics: [{ Namespace: 'Askback', Dimensions: [['service', 'agent']], Metrics: [{ Name, Unit }] }],
      },
      service: 'askback',
      agent: AGENT,
      [Name]: value,
    });
    expect(lines).toEqual([emf('QuestionsAsked', 'Count', 1), emf('TimeToAnswer', 'Milliseconds', 90_000)]);
  });
});
