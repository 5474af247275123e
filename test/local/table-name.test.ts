import { expect, test } from 'vitest';
import { tableNameOf } from '../../local/table-name.ts';

test.each([
  ['Expense agent', /^askback-expense-agent-[\w-]{6}$/],
  ['  Ärger & Söhne  ', /^askback-rger-s-hne-[\w-]{6}$/],
  ['出張', /^askback-agent-[\w-]{6}$/],
  [`${'a'.repeat(39)} b`, /^askback-a{39}-[\w-]{6}$/],
])('the table of %j has a name that DynamoDB takes', (name, expected) => {
  expect(tableNameOf(name)).toMatch(expected);
});

test('names that read alike have tables of their own', () => {
  const names = ['Room agent', 'room agent', 'Room-agent', 'Room agent!', '出張', '会議'];
  expect(new Set(names.map(tableNameOf)).size).toBe(6);
});
