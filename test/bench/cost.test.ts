/** What the README says of cost is what the counted operations and the prices make (design, section 13). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { costTable, idleMonth, perMillion } from '../../bench/cost.ts';
import { type Counted, countQuestion } from '../../bench/count-question.ts';
import { costOf } from '../../bench/prices.ts';

const COUNTED: Counted = {
  requests: 4,
  turns: 2,
  reads: 7,
  readUnits: 7,
  writes: 15,
  tableUnits: 20,
  indexUnits: 18,
  messagesSent: 2,
  timersMade: 1,
  timersDeleted: 1,
  metrics: 4,
  storedBytes: 2_954,
};
const text = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the cost of a deployed agent', () => {
  it('one question takes of AWS what is priced here', async () => {
    expect(await countQuestion()).toEqual(COUNTED);
  });

  it('one million questions in a month', () => {
    expect(costTable(perMillion(COUNTED))).toEqual([
      '  23.75  writeUnits',
      '  14.00  apiRequests',
      '  13.31  traces',
      '   8.00  lambdaGbSeconds',
      '   3.14  logGb',
      '   2.40  queueRequests',
      '   1.20  lambdaRequests',
      '   1.20  customMetrics',
      '   0.88  readUnits',
      '   0.74  storedGbMonths',
      '   0.59  recoverableGbMonths',
      '  69.21  together',
    ]);
  });

  it('one month in which nobody calls', () => {
    expect(costTable(idleMonth())).toEqual([
      '   3.00  dashboards',
      '   2.80  alarmMetrics',
      '   0.52  queueRequests',
      '   0.40  secrets',
      '   0.22  traces',
      '   0.03  lambdaGbSeconds',
      '   0.02  readUnits',
      '   0.01  logGb',
      '   0.01  lambdaRequests',
      '   7.00  together',
    ]);
  });

  it('is what the README says, row by row and together', () => {
    const rows = [...text('README.md').matchAll(/^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)];
    const sums = [2, 3].map((column) => rows.map((row) => Number(row[column])));
    for (const numbers of sums) {
      const together = numbers.pop() as number;
      expect(numbers.reduce((sum, one) => sum + one, 0)).toBeCloseTo(together, 1);
    }
    expect(rows.map(([, what, million, idle]) => [what?.split(':')[0], million, idle])).toEqual([
      ['DynamoDB', '25.96', '0.02'],
      ['API Gateway', '14.00', '0'],
      ['Lambda', '9.20', '0.04'],
      ['SQS', '2.40', '0.52'],
      ['Scheduler', '0', '0'],
      ['CloudWatch, X-Ray', '17.65', '6.03'],
      ['Secrets Manager', '0', '0.40'],
      ['together', '69.21', '7.00'],
    ]);
    expect(text('README.md')).toContain('38 write units and 7 read units a question');
  });

  it.each([
    [{ writeUnits: 38_000_000, readUnits: 7_000_000, storedGbMonths: 2.95, recoverableGbMonths: 2.95 }, 25.95],
    [{ lambdaRequests: 6_000_000, lambdaGbSeconds: 600_000 }, 9.2],
    [{ traces: 2_662_400, customMetrics: 4, logGb: 6.28 }, 17.65],
    [{ traces: 43_200, alarmMetrics: 28, dashboards: 1, logGb: 0.0216 }, 6.03],
  ])('%j is $%d', (used, usd) => {
    expect(costOf(used)).toBeCloseTo(usd, 2);
  });
});
