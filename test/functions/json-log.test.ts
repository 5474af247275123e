/** Log lines: JSON, named by invocation, without what callers sent (design section 10). */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import { createJsonLog, type LogLevel, withLogFields } from '../../functions/json-log.ts';

function logged(level: LogLevel = 'info') {
  const lines: Record<string, unknown>[] = [];
  const log = createJsonLog({
    level,
    now: () => Date.UTC(2026, 10, 30, 10),
    write: (line) => lines.push(JSON.parse(line)),
  });
  return { log, lines };
}

describe('the JSON log', () => {
  it('writes level, time, message and plain fields', () => {
    const { log, lines } = logged();
    log.info('swept', { found: 3, ok: true, taskId: 't1' });
    log.count('QuestionsAsked');
    expect(lines).toEqual([
      { level: 'info', time: '2026-11-30T10:00:00.000Z', message: 'swept', found: 3, ok: true, taskId: 't1' },
      { level: 'info', time: '2026-11-30T10:00:00.000Z', message: 'metric', metric: 'QuestionsAsked', count: 1 },
    ]);
  });

  it('R45: omits nested values and redacts secrets by name; fields cannot replace what names the line', () => {
    const { log, lines } = logged();
    log.warn('x', {
      message: 'forged',
      level: 'info',
      body: { parts: [{ text: 'private' }] },
      list: ['private'],
      leaseToken: 'private',
      Authorization: 'Bearer private',
      secretKey: 'private',
    });
    expect(JSON.stringify(lines)).not.toContain('private"');
    expect(lines).toEqual([
      {
        level: 'warn',
        time: '2026-11-30T10:00:00.000Z',
        message: 'x',
        body: '[omitted]',
        list: '[omitted]',
        leaseToken: '[redacted]',
        Authorization: '[redacted]',
        secretKey: '[redacted]',
      },
    ]);
  });

  it('writes errors with reason, stack and causes, cut to a bounded size', () => {
    const { log, lines } = logged();
    const cause = new Error('c'.repeat(5_000));
    log.error('failed', { error: new RetryableError('THROTTLED', 'slow down', { cause }) });
    expect(lines[0]).toMatchObject({
      error: { name: 'RetryableError', reason: 'THROTTLED', message: 'slow down', stack: expect.any(String) },
    });
    const { error } = lines[0] as { error: { cause: { message: string } } };
    expect(error.cause.message.length).toBe(1_003);
  });

  it('keeps quiet below its level', () => {
    const { log, lines } = logged('warn');
    log.info('a');
    log.count('TimersLost');
    log.warn('b');
    log.error('c');
    expect(lines.map(({ message }) => message)).toEqual(['b', 'c']);
    const silent = logged('silent');
    silent.log.error('d');
    expect(silent.lines).toEqual([]);
  });

  it('adds the fields of the invocation to every line inside it, also across waits, and to no other', async () => {
    const { log, lines } = logged();
    await Promise.all(
      ['r1', 'r2'].map((requestId) =>
        withLogFields({ requestId }, async () => {
          await Promise.resolve();
          log.info(`in ${requestId}`);
        }),
      ),
    );
    log.info('outside');
    expect(lines.map(({ message, requestId }) => [message, requestId])).toEqual([
      ['in r1', 'r1'],
      ['in r2', 'r2'],
      ['outside', undefined],
    ]);
  });
});
