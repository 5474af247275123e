/** The lines as one table for people, or as JSON for programs; and whether every budget holds. */
import { budgets, budgetText, isWithin } from './budgets.ts';
import type { Line } from './line.ts';

export interface Judged extends Line {
  readonly verdict: 'pass' | 'FAIL' | '';
  /** As it is printed, with the section of design.md. */
  readonly limit: string;
}

/** @throws when a line names a budget that does not exist */
export function judge(line: Line): Judged {
  if (line.budget === undefined) return { ...line, verdict: '', limit: '' };
  const budget = budgets[line.budget];
  if (!budget) throw new Error(`there is no budget ${line.budget}`);
  const verdict = isWithin(line.value, budget) ? 'pass' : 'FAIL';
  return { ...line, verdict, limit: `${budgetText(budget)} (${budget.design})` };
}

const HEADINGS = ['what', 'ours', 'theirs', 'ratio', 'spread', 'budget (design)', ''] as const;

export function table(lines: readonly Judged[]): string {
  const rows = lines.map(cells);
  // What stands alone in its row may be as long as it likes.
  const among = rows.filter((row) => row.slice(2).some((cell) => cell !== ''));
  const width = (at: number) =>
    Math.max((HEADINGS[at] ?? '').length, ...(at === 0 ? rows : among).map((row) => (row[at] ?? '').length));
  const widths = HEADINGS.map((_, at) => width(at));
  const text = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const parts: string[] = [text(HEADINGS)];
  for (const [at, row] of rows.entries()) {
    const section = lines[at]?.section ?? '';
    if (section !== lines[at - 1]?.section) parts.push('', section.toUpperCase());
    parts.push(text(row));
  }
  return parts.join('\n');
}

function cells({ what, ours, theirs = '', ratio = '', spread = '', limit, verdict }: Judged): readonly string[] {
  return [what, ours, theirs, ratio, spread, limit, verdict];
}

/** What programs read: one object for each line. */
export function asJson(lines: readonly Judged[]): string {
  const kept = lines.map(({ section, what, ours, theirs, ratio, value, spread, limit, verdict }) => ({
    ...{ section, what, ours, theirs, ratio, value, spread },
    ...(verdict === '' ? {} : { budget: limit, verdict }),
  }));
  return JSON.stringify(kept, null, 2);
}
