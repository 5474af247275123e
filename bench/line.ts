/** One line of the table: what was measured, beside a peer's where there is one. */
export type Section = 'counted' | 'timed' | 'races' | 'cost';

export interface Line {
  readonly section: Section;
  readonly what: string;
  /** As it is printed, with its unit. */
  readonly ours: string;
  readonly theirs?: string;
  /** What the budget is about, and what is compared between machines: a count, or a ratio. */
  readonly value: number;
  /** How the value is printed where it is a ratio: `3.1 x`. Absent: it is what `ours` says. */
  readonly ratio?: string;
  /** Lowest and highest of the repeats, as printed. */
  readonly spread?: string;
  /** Names the budget in budgets.ts; absent: it has none, and is printed for what it tells. */
  readonly budget?: string;
}

export function unbudgeted({ budget: _none, ...line }: Line): Line {
  return line;
}

export function counted(what: string, value: number, unit: string, budget?: string): Line {
  const ours = `${number(value)} ${unit}`.trim();
  return { section: 'counted', what, ours, value, ...(budget === undefined ? {} : { budget }) };
}

/** At most three digits that mean something; whole numbers whole. */
export function number(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toLocaleString('en-US', { maximumSignificantDigits: Math.abs(value) < 1_000 ? 3 : 4 });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

export function spreadOf(values: readonly number[]): string {
  return `${number(Math.min(...values))} to ${number(Math.max(...values))}`;
}
