/** The bench fails where a budget does not hold (design, section 13). */
import { describe, expect, it } from 'vitest';
import { budgets, isWithin } from '../../bench/budgets.ts';
import { itemBytes, writeUnits } from '../../bench/item-size.ts';
import { counted, median, number } from '../../bench/line.ts';
import { asJson, judge, table } from '../../bench/table.ts';

describe('budgets', () => {
  it.each([
    ['create.writes', { design: '13', most: 1 }],
    ['answer.reads', { design: '13', most: 1 }],
    ['duplicate.writes', { design: '13', most: 0 }],
    ['cycle.calls', { design: '13', most: 8 }],
    ['head.units', { design: '13', most: 2 }],
    ['rounds.units', { design: '13', most: 2.1 }],
    ['cpu.memory', { design: '13', least: 3 }],
    ['cycles.dynamo', { design: '13', least: 1.5 }],
    ['api.bytes', { design: '13', most: 650_000 }],
    ['api.load', { design: '13', most: 75 }],
    ['sweep.time', { design: '13', most: 1.3 }],
    ['stream.first', { design: '13', most: 60 }],
    ['stream.reads', { design: '13', most: 30 }],
  ])('%s is what the design says', (name, budget) => {
    expect(budgets[name]).toEqual(budget);
  });

  it.each([
    [1, { most: 1 }, true],
    [1.01, { most: 1 }, false],
    [3, { least: 3 }, true],
    [2.99, { least: 3 }, false],
    [Number.NaN, { most: 1 }, false],
    [Number.NaN, { least: 1 }, false],
  ])('%f within %j: %s', (value, budget, within) => {
    expect(isWithin(value, { design: '13', ...budget })).toBe(within);
  });
});

describe('the table', () => {
  const lines = [counted('create: writes', 1, '', 'create.writes'), counted('create: reads', 2, '', 'create.reads')];

  it('says of each line whether it is within its budget', () => {
    expect(lines.map((line) => judge(line).verdict)).toEqual(['pass', 'FAIL']);
    expect(judge(counted('anything', 5, 'calls')).verdict).toBe('');
  });

  it('refuses a budget that does not exist, which would hold whatever was measured', () => {
    expect(() => judge(counted('create: writes', 1, '', 'no.such'))).toThrow('there is no budget no.such');
  });

  it('has one row a line, under its section', () => {
    expect(table(lines.map(judge)).split('\n')).toEqual([
      'what            ours  theirs  ratio  spread  budget (design)',
      '',
      'COUNTED',
      'create: writes  1                            <= 1 (13)        pass',
      'create: reads   2                            <= 0 (13)        FAIL',
    ]);
  });

  it('is JSON for programs', () => {
    expect(JSON.parse(asJson(lines.slice(1).map(judge)))).toEqual([
      { section: 'counted', what: 'create: reads', ours: '2', value: 2, budget: '<= 0 (13)', verdict: 'FAIL' },
    ]);
  });
});

describe('numbers', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it.each([
    [1_234_567, '1,234,567'],
    [0.123456, '0.123'],
    [1_234.567, '1,235'],
  ])('%d is printed as %s', (value, expected) => {
    expect(number(value)).toBe(expected);
  });

  it('an item has the bytes of its names and values', () => {
    expect(itemBytes({ pk: { S: 'T#é' }, n: { N: '1800000000000' }, l: { L: [{ S: 'ab' }] }, b: { BOOL: true } })).toBe(
      // pk 2 + 4; n 1 + 2; l 1 + 3 + 1 + 2; b 1 + 1
      18,
    );
  });

  it('a refused write costs the units of the item in its way, and one where there is none', () => {
    expect(writeUnits(undefined)).toBe(1);
    expect(writeUnits({ pk: { S: 'x'.repeat(1_022) } })).toBe(1);
    expect(writeUnits({ pk: { S: 'x'.repeat(1_023) } })).toBe(2);
  });
});
