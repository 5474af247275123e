/** The arithmetic behind the last line of `.ci/run`. */

/** What is used of the test runner's JSON report. */
export interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName?: string }[];
  }[];
}

export interface Total {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The titles of the tests that did not run; a test that may be skipped says in its title what it needs. */
export function skippedTests(report: TestReport | undefined): readonly string[] {
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return results.flatMap(({ status, fullName = 'a test' }) =>
    status === 'passed' || status === 'failed' ? [] : [fullName.trim()],
  );
}

/**
 * @param report undefined when the runner wrote none: that alone is a failure
 * @param failedChecks checks other than single tests that failed; a failed test run is one of them and not counted twice
 */
export function total(report: TestReport | undefined, failedChecks: number): Total {
  if (!report) return { passed: 0, failed: Math.max(1, failedChecks), skipped: 0 };
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failedTests = statuses.filter((status) => status === 'failed').length;
  // A file that could not be loaded has failed without a failed test.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const inTests = failedTests + brokenFiles;
  const failed = inTests > 0 ? inTests + Math.max(0, failedChecks - 1) : failedChecks;
  return { passed, failed, skipped: statuses.length - passed - failedTests };
}
