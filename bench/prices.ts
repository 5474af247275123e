/**
 * What AWS asks for what a deployed agent uses: list prices of us-east-1 in US dollars, without free tiers, discounts and
 * tax. AWS changes them and other Regions differ; `by` says how far each was checked.
 */
export const PRICES_OF = { region: 'us-east-1', date: '2026-11-30' } as const;

interface Price {
  readonly usd: number;
  /** So many of the unit cost that. */
  readonly per: number;
  readonly unit: string;
  /** Who states it: AWS itself, or others who write about its prices; look those up before you rely on them. */
  readonly by: 'AWS' | 'others';
  /** Where it was read, on the date above, in a copy that may be older. */
  readonly at: string;
}

const MILLION = 1_000_000;

export const prices = {
  apiRequests: {
    usd: 3.5,
    per: MILLION,
    unit: 'REST API request',
    by: 'AWS',
    at: 'https://docs.aws.amazon.com/pt_br/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
  },
  lambdaRequests: {
    usd: 0.2,
    per: MILLION,
    unit: 'invocation',
    by: 'others',
    at: 'https://cloudchipr.com/blog/aws-lambda-pricing',
  },
  lambdaGbSeconds: {
    usd: 0.0000133334,
    per: 1,
    unit: 'GB-second on arm64',
    by: 'others',
    at: 'https://cloudchipr.com/blog/aws-lambda-pricing',
  },
  writeUnits: {
    usd: 0.625,
    per: MILLION,
    unit: 'write unit on demand',
    by: 'AWS',
    at: 'https://github.com/aws/agent-toolkit-for-aws',
  },
  readUnits: {
    usd: 0.125,
    per: MILLION,
    unit: 'read unit on demand',
    by: 'AWS',
    at: 'https://github.com/aws/agent-toolkit-for-aws',
  },
  storedGbMonths: {
    usd: 0.25,
    per: 1,
    unit: 'GB-month in the table',
    by: 'AWS',
    at: 'https://github.com/aws/agent-toolkit-for-aws',
  },
  recoverableGbMonths: {
    usd: 0.2,
    per: 1,
    unit: 'GB-month of point-in-time recovery',
    by: 'others',
    at: 'https://finops.com.py/services/dynamodb/backups',
  },
  queueRequests: {
    usd: 0.4,
    per: MILLION,
    unit: 'request to a standard queue',
    by: 'others',
    at: 'https://cloudburn.io/blog/amazon-sqs-pricing',
  },
  timersFired: {
    usd: 1,
    per: MILLION,
    unit: 'invocation by the Scheduler',
    by: 'others',
    at: 'https://cloudburn.io/blog/amazon-eventbridge-pricing',
  },
  logGb: {
    usd: 0.5,
    per: 1,
    unit: 'GB of logs taken in',
    by: 'others',
    at: 'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/',
  },
  traces: {
    usd: 5,
    per: MILLION,
    unit: 'trace recorded',
    by: 'AWS',
    at: 'https://aws.amazon.com/cn/xray/pricing/',
  },
  customMetrics: {
    usd: 0.3,
    per: 1,
    unit: 'metric of ours and month',
    by: 'others',
    at: 'https://signoz.io/guides/cloudwatch-pricing',
  },
  alarmMetrics: {
    usd: 0.1,
    per: 1,
    unit: 'metric of an alarm and month',
    by: 'others',
    at: 'https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm',
  },
  dashboards: {
    usd: 3,
    per: 1,
    unit: 'dashboard and month',
    by: 'others',
    at: 'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/',
  },
  secrets: {
    usd: 0.4,
    per: 1,
    unit: 'secret and month',
    by: 'others',
    at: 'https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms',
  },
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
