/** The total that `.ci/run` ends with is honest. */
import { describe, expect, it } from 'vitest';
import { skippedTests, total } from '../../scripts/count.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe('the total of .ci/run', () => {
  it.each([
    ['all passed', [file('passed', 'passed', 'passed'), file('passed', 'passed')], 0, [3, 0, 0]],
    ['one test failed, so the test run failed as well', [file('failed', 'passed', 'failed')], 1, [1, 1, 0]],
    ['a file could not be loaded', [file('failed'), file('passed', 'passed')], 1, [1, 1, 0]],
    ['tests passed, another check failed', [file('passed', 'passed')], 1, [1, 1, 0]],
    ['a test and another check failed', [file('failed', 'failed', 'passed')], 2, [1, 2, 0]],
    ['skipped tests are neither', [file('passed', 'passed', 'pending', 'todo')], 0, [1, 0, 2]],
  ] as const)('%s', (_title, testResults, failedChecks, [passed, failed, skipped]) => {
    expect(total({ testResults }, failedChecks)).toEqual({ passed, failed, skipped });
  });

  it('names each test that was skipped; its title says what it needs', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'a b' },
      { status: 'pending', fullName: ' the transcript (needs bash and curl) prints what is shown' },
      { status: 'failed', fullName: 'c' },
    ];
    expect(skippedTests({ testResults: [{ status: 'failed', assertionResults }] })).toEqual([
      'the transcript (needs bash and curl) prints what is shown',
    ]);
    expect(skippedTests(undefined)).toEqual([]);
  });

  it('no report is a failure', () => {
    expect(total(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
