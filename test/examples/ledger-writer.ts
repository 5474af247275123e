/** Run as a child process by ledger.test.ts: files `count` expenses in the folder and prints the ids. */
import { fileLedger } from '../../examples/expense-agent/ledger.ts';

const [folder = '', prefix = '', count = '0'] = process.argv.slice(2);
const ledger = fileLedger(folder);
const expense = {
  amount: 1,
  currency: 'EUR',
  date: '2026-11-24',
  vendor: 'taxi',
  costCentre: 'CC-4410',
  filedBy: prefix,
};
const ids: string[] = [];
for (let n = 1; n <= Number(count); n += 1) {
  ids.push((await ledger.file(expense, `${prefix}-${n}`)).id, (await ledger.file(expense, `shared-${n}`)).id);
  process.stdout.write(`${n}\n`);
}
process.stdout.write(`${JSON.stringify(ids)}\n`);
