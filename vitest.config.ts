/**
 * One configuration for every suite. Suites drive time by hand; the generous limits are for those that start dynalite
 * or a server process on a busy machine. `ASKBACK_TEST_REPORT` names a file for the JSON report that `.ci/run` counts.
 */
import { defineConfig } from 'vitest/config';

const report = process.env.ASKBACK_TEST_REPORT;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      // Nothing in a test may find an account: suites give their own region and credentials to what they build.
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
