/**
 * The finance assistant: an orchestrator. It has the expense agent file a receipt, answers what that agent asks from what
 * it knows of its employees, and asks the employee, in its own words, only where it does not know. It hands back the id
 * of the expense as its own artifact.
 *
 * What it needs from outside comes in as `FinanceAssistantParts`. The default export is what a runtime loads.
 */
import {
  type Agent,
  type DelegatedQuestion,
  defineAgent,
  type Json,
  remoteAgent,
  type RestatedQuestion,
  type SubAgent,
} from '../../agent/index.ts';
import { type Staff, staffOf } from './staff.ts';
import staff from './staff.json' with { type: 'json' };

export interface FinanceAssistantParts {
  readonly expenses: SubAgent;
  readonly staff: Staff;
}

const receiptProperties = {
  amount: { type: 'number', exclusiveMinimum: 0, description: 'How much was paid' },
  currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code, as in EUR' },
  date: { type: 'string', format: 'date', description: 'The day on the receipt, as in 2026-11-24' },
  vendor: { type: 'string', minLength: 1, maxLength: 100, description: 'Who was paid, or what for' },
} as const;

export function createFinanceAssistant({ expenses, staff }: FinanceAssistantParts): Agent {
  return defineAgent({
    card: {
      name: 'Finance assistant',
      description: 'Takes care of receipts: has them filed, and asks only what finance does not know.',
      version: '1.0.0',
      skills: [
        {
          id: 'reimburse',
          name: 'Take care of a receipt',
          description: 'Has one receipt filed as an expense and returns the id of the expense.',
          tags: ['finance', 'receipts'],
          examples: ['File my taxi receipt from Tuesday, 42 euros'],
          inputModes: ['text/plain', 'image/*', 'application/pdf'],
        },
      ],
    },
    agents: { expenses },

    async run(turn) {
      const filed = await turn.delegate('filing', {
        agent: 'expenses',
        message: { parts: turn.request.parts },
        resolve: (question) => (asksFor(question, 'costCentre') ? staff.costCentreOf(turn.owner) : undefined),
        restate: (question) =>
          asksFor(question, 'costCentre')
            ? whichCostCentre(question, subjectOf(turn.text), staff)
            : receiptDetails(question),
        translate: (answer) => inTheirTerms(answer as Answer),
      });
      const expenseId = expenseIdIn(filed.artifacts.flatMap(({ parts }) => parts.map(({ data }) => data)));
      if (expenseId === undefined) return void (await turn.fail('The expense was filed, but no id came back.'));
      await turn.artifact({ name: 'filed-expense', data: { expenseId } });
    },
  });
}

function asksFor({ schema }: DelegatedQuestion, property: string): boolean {
  return Object.hasOwn((schema?.properties ?? {}) as object, property);
}

const COST_CENTRE = '^CC-[0-9]{4}$';

/**
 * The choice is the expense agent's; the words are finance's, and so are the names of the cost centres. Nothing: it wants
 * more than that, or offers nothing that is a cost centre.
 */
function whichCostCentre(question: DelegatedQuestion, subject: string, staff: Staff): RestatedQuestion | undefined {
  const codes = codesIn(question);
  const open = question.options === undefined || question.allowOther;
  if (requiredBy(question).some((name) => name !== 'costCentre') || (codes.length === 0 && !open)) return undefined;
  return {
    text: `Which cost centre should finance charge ${subject} to?`,
    schema: {
      type: 'object',
      properties: { chargeTo: { type: 'string', pattern: COST_CENTRE } },
      required: ['chargeTo'],
    },
    ...(codes.length === 0
      ? {}
      : { options: codes.map((code) => labelled(code, staff.nameOf(code))), allowOther: open }),
  };
}

/** What is offered, in whichever form; another agent may offer anything, so what is no cost centre is left out. */
function codesIn({ options }: DelegatedQuestion): readonly string[] {
  const offered = options as Json | undefined;
  const list = isRecord(offered) ? offered.costCentre : offered;
  const values = Array.isArray(list) ? (list as readonly Json[]).map((one) => (isRecord(one) ? one.value : one)) : [];
  const isCode = (value: Json | undefined) => typeof value === 'string' && new RegExp(COST_CENTRE).test(value);
  return [...new Set(values.filter(isCode))] as string[];
}

function requiredBy({ schema }: DelegatedQuestion): readonly string[] {
  return (schema?.required ?? []) as readonly string[];
}

function isRecord(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an employee is asked for: the one, or some of the others. */
interface Answer {
  readonly chargeTo?: string;
  readonly [detail: string]: Json | undefined;
}

function inTheirTerms({ chargeTo, ...details }: Answer) {
  return chargeTo === undefined ? details : { costCentre: chargeTo };
}

function labelled(value: string, name: string | undefined) {
  return { value, label: name === undefined ? value : `${name} (${value})` };
}

/** Whatever else the expense agent wants to know of a receipt; nothing: it asks what no employee should be asked. */
function receiptDetails(question: DelegatedQuestion): RestatedQuestion | undefined {
  const required = requiredBy(question);
  const known = required.filter((name): name is keyof typeof receiptProperties =>
    Object.hasOwn(receiptProperties, name),
  );
  if (known.length === 0 || known.length < required.length) return undefined;
  return {
    text: `Finance could not read all of your receipt. Please give: ${known.join(', ')}.`,
    schema: {
      type: 'object',
      properties: Object.fromEntries(known.map((name) => [name, receiptProperties[name]])),
      required: known,
    },
  };
}

function subjectOf(text: string): string {
  const [what] = /\b(taxi|train|flight|hotel|meal|lunch|dinner|parking)\b/i.exec(text) ?? [];
  return `the ${what?.toLowerCase() ?? 'expense'}`;
}

function expenseIdIn(data: readonly (Json | undefined)[]): string | undefined {
  const found = data.find((one): one is { expenseId: string } => {
    return typeof one === 'object' && one !== null && 'expenseId' in one && typeof one.expenseId === 'string';
  });
  return found?.expenseId;
}

/** The expense agent at the address in EXPENSE_AGENT_URL; the directory is the file beside this one. */
export default function financeAssistant({
  env,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
}): Agent {
  const url = env.EXPENSE_AGENT_URL;
  if (!url) throw new Error('EXPENSE_AGENT_URL is missing: the address of the expense agent');
  return createFinanceAssistant({ expenses: remoteAgent(url), staff: staffOf(staff) });
}
