/**
 * Prints the last line of `.ci/run`, as in "123 passed, 0 failed".
 * Usage: total.ts <JSON report of the test runner> <number of failed checks>. Ends with 1 when anything failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { skippedTests, type TestReport, total } from './count.ts';

const [, , path = '', checks = '0'] = process.argv;
const report = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestReport) : undefined;
const { passed, failed } = total(report, Number(checks));
if (!report) console.log('the test runner wrote no report');
for (const title of skippedTests(report)) console.log(`skipped: ${title}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
