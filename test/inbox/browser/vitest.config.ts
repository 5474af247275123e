/** The suites that need a browser; run.sh beside this file brings one and starts them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const report = process.env.ASKBACK_TEST_REPORT;

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['test/inbox/browser/*.spec.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
