import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../agent/index.ts';
import { RetryableError } from '../../core/errors.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import type { Log } from '../../core/ports.ts';
import { createTextLog } from '../../local/text-log.ts';
import { fakeDeps } from '../fakes/deps.ts';

function logged(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  return { log: createTextLog((text) => lines.push(...text.split('\n'))), lines };
}

describe('the log of npm start', () => {
  test("tells an error of the author's code in two lines: what, where, which attempt, when next", async () => {
    const { log, lines } = logged();
    const agent = defineAgent({
      card: { name: 'A', description: 'A', version: '1', skills: [{ id: 'a', name: 'a', description: 'a', tags: [] }] },
      run() {
        throw new TypeError('no such room:\n  Lisbon');
      },
    });
    const deps = fakeDeps({ agent, log });
    const message = { messageId: 'm-1', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
    const owner = { tenant: 'local', principal: 'alice' };
    await sendMessage(deps, owner, { message, configuration: { returnImmediately: true } });
    for (const delayMs of [0, 5_000, 30_000, 180_000, 900_000]) {
      await deps.clock.advance(delayMs);
      const turn = deps.queue.take();
      if (!turn) throw new Error('no turn is owed');
      await runTurn(deps, turn, { remainingMs: () => 900_000 });
    }
    const [first, second, ...others] = lines;
    expect(first).toBe('error: the agent failed: TypeError: no such room: Lisbon');
    expect(second).toMatch(
      /^ {2}at test\/local\/text-log\.test\.ts:\d+:\d+, attempt 1 of 5, next try in 5 s, task [a-z2-7]{26}, turn 1, correlation id \S+$/,
    );
    const told = others.flatMap((line) => /attempt .*?, (?:next try in [^,]+|not tried again)/.exec(line) ?? []);
    expect(told).toEqual([
      'attempt 2 of 5, next try in 30 s',
      'attempt 3 of 5, next try in 3 min',
      'attempt 4 of 5, next try in 15 min',
      'attempt 5 of 5, not tried again',
    ]);
    expect(others).toHaveLength(8);
  });

  test('names the causes, each in the same line, and cuts what is long', () => {
    const { log, lines } = logged();
    const cause = new Error('x'.repeat(600));
    log.warn('will be tried again', { error: new RetryableError('THROTTLED', 'the table is busy', { cause }) });
    expect(lines[0]).toBe(
      `warning: will be tried again: RetryableError: the table is busy: Error: ${'x'.repeat(500)}...`,
    );
  });

  test('counts the attempts of what has no last one', () => {
    const { log, lines } = logged();
    log.warn('a notification was not taken', { configId: 'c-1', attempts: 2 });
    expect(lines).toEqual(['warning: a notification was not taken', '  attempt 2, configId c-1']);
  });

  test('shows warnings and errors only, plain values only, and no secrets (R45)', () => {
    const { log, lines } = logged();
    log.info('swept', { found: 1 });
    log.count('QuestionsAsked');
    log.warn('odd', { taskId: 't1', body: { text: 'private' }, authorization: 'private', leaseToken: 'private' });
    log.error('worse');
    expect(lines).toEqual(['warning: odd', '  task t1', 'error: worse']);
  });
});
