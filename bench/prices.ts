/**
 * What AWS asks for what a deployed agent uses: list prices of us-east-1 in US dollars, without free tiers, discounts and
 * tax. AWS changes them and other Regions differ; `source` says how far each was checked.
 */
export const PRICES_OF = { region: 'us-east-1', date: '2026-11-30' } as const;

interface Price {
  readonly usd: number;
  /** So many of the unit cost that. */
  readonly per: number;
  readonly unit: string;
  /** `published`: seen in public texts that state it. `unchecked`: as we know it; look it up before you rely on it. */
  readonly source: 'published' | 'unchecked';
}

const MILLION = 1_000_000;

export const prices = {
  apiRequests: { usd: 3.5, per: MILLION, unit: 'REST API request', source: 'published' },
  lambdaRequests: { usd: 0.2, per: MILLION, unit: 'invocation', source: 'published' },
  lambdaGbSeconds: { usd: 0.0000133334, per: 1, unit: 'GB-second on arm64', source: 'published' },
  writeUnits: { usd: 0.625, per: MILLION, unit: 'write unit on demand', source: 'published' },
  readUnits: { usd: 0.125, per: MILLION, unit: 'read unit on demand', source: 'published' },
  storedGbMonths: { usd: 0.25, per: 1, unit: 'GB-month in the table', source: 'published' },
  recoverableGbMonths: { usd: 0.2, per: 1, unit: 'GB-month of point-in-time recovery', source: 'unchecked' },
  queueRequests: { usd: 0.4, per: MILLION, unit: 'request to a standard queue', source: 'unchecked' },
  timersFired: { usd: 1, per: MILLION, unit: 'invocation by the Scheduler', source: 'unchecked' },
  logGb: { usd: 0.5, per: 1, unit: 'GB of logs taken in', source: 'published' },
  traces: { usd: 5, per: MILLION, unit: 'trace recorded', source: 'unchecked' },
  customMetrics: { usd: 0.3, per: 1, unit: 'metric of ours and month', source: 'published' },
  alarmMetrics: { usd: 0.1, per: 1, unit: 'metric of an alarm and month', source: 'unchecked' },
  dashboards: { usd: 3, per: 1, unit: 'dashboard and month', source: 'published' },
  secrets: { usd: 0.4, per: 1, unit: 'secret and month', source: 'unchecked' },
} as const satisfies Readonly<Record<string, Price>>;

export type Used = Readonly<Partial<Record<keyof typeof prices, number>>>;

/** US dollars for so much of each. */
export function costOf(used: Used): number {
  return Object.values(costLines(used)).reduce((sum, usd) => sum + usd, 0);
}

/** US dollars by line. */
export function costLines(used: Used): Readonly<Record<string, number>> {
  const named = Object.entries(used) as [keyof typeof prices, number][];
  return Object.fromEntries(named.map(([name, amount]) => [name, (amount * prices[name].usd) / prices[name].per]));
}
