/**
 * The expense agent: the worked example. It reads a receipt from the request, asks once for what it cannot read, asks
 * for the cost centre when there is a choice, files the expense exactly once and hands back its id.
 *
 * What it needs from outside comes in as `ExpenseAgentParts`. The default export is what a runtime loads: a function
 * of the place the agent runs in, so that the agent itself reads no environment. The local runtime gives it a data
 * folder; a deployment gives `createExpenseAgent` the company's own ledger and directory.
 */
import { join } from 'node:path';
import { type Agent, defineAgent } from '../../agent/index.ts';
import { type Directory, fileDirectory } from './directory.ts';
import { fileLedger, type Ledger } from './ledger.ts';
import { readReceipt } from './receipt.ts';

export interface ExpenseAgentParts {
  readonly ledger: Ledger;
  readonly directory: Directory;
}

const receiptSchema = {
  type: 'object',
  properties: {
    amount: { type: 'number', exclusiveMinimum: 0, description: 'How much was paid' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code, as in EUR' },
    date: { type: 'string', format: 'date', description: 'The day on the receipt, as in 2026-11-24' },
    vendor: { type: 'string', minLength: 1, maxLength: 100, description: 'Who was paid, or what for' },
  },
  required: ['amount', 'currency', 'date', 'vendor'],
  additionalProperties: false,
} as const;

const costCentreSchema = {
  type: 'object',
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['costCentre'],
} as const;

export function createExpenseAgent({ ledger, directory }: ExpenseAgentParts): Agent {
  return defineAgent({
    card: {
      name: 'Expense agent',
      description: 'Files expenses from receipts, and asks for the cost centre when there is a choice.',
      version: '1.0.0',
      skills: [
        {
          id: 'file-expense',
          name: 'File an expense',
          description: 'Files one receipt and returns the id of the expense.',
          tags: ['expenses', 'receipts', 'finance'],
          examples: ['File my taxi receipt from Tuesday, 42 euros'],
          inputModes: ['text/plain', 'image/*', 'application/pdf'],
        },
      ],
    },

    async run(turn) {
      const today = await turn.now();
      const { file, ...read } = await turn.step('read-receipt', () => readReceipt(turn.request, today));
      const receipt = await turn.collect('receipt', receiptSchema, read);

      const centres = await turn.step('cost-centres', () => directory.costCentres(turn.owner));
      if (centres.length === 0) await turn.reject('You have no cost centre to charge an expense to.');
      const [only, another] = centres;
      const { costCentre } =
        only !== undefined && another === undefined
          ? { costCentre: only }
          : await turn.ask('cost-centre', {
              text: 'Which cost centre should this expense be charged to?',
              schema: costCentreSchema,
              options: centres,
              expiresIn: { hours: 24 },
            });

      const filed = await turn.step('file', ({ idempotencyKey }) =>
        ledger.file({ ...receipt, costCentre, filedBy: turn.owner.principal }, idempotencyKey),
      );
      await turn.artifact({
        name: 'expense',
        data: { expenseId: filed.id, ...receipt, costCentre, ...(file === undefined ? {} : { receipt: file }) },
      });
    },
  });
}

/** Keeps the ledger in the runtime's data folder and the directory beside this file. */
export default function expenseAgent(place: { readonly dataFolder: string }): Agent {
  return createExpenseAgent({ ledger: fileLedger(join(place.dataFolder, 'ledger')), directory: fileDirectory() });
}
