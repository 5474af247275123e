/**
 * What a deployed agent costs, from what was counted (count-question.ts) and the list prices (prices.ts). What cannot be
 * counted without AWS is assumed, here and nowhere else: how long functions run, and how much is logged and traced.
 */
import { limits } from '../core/limits.ts';
import type { Counted } from './count-question.ts';
import { costLines, costOf, type Used } from './prices.ts';

const MILLION = 1_000_000;
const GB = 1e9;
const MONTH_SECONDS = 30 * 24 * 3_600;

/** By assumption, in seconds and bytes; memory is what lib/askback-agent.ts gives. An agent's own code comes on top. */
export const ASSUMED = {
  requestSeconds: 0.05,
  turnSeconds: 0.2,
  sweepSeconds: 0.1,
  functionLogBytes: 500,
  accessLogBytes: 400,
  metricBytes: 420,
  /** X-Ray's default rule: one request a second, and 5 % of the others. */
  traced: { perSecond: 1, ofOthers: 0.05 },
  /** Requests with which Lambda waits at one idle queue: five pollers, 20 seconds each. */
  idlePolls: (5 * MONTH_SECONDS) / 20,
} as const;

/** Memory in GB. */
const MEMORY = { api: 1, worker: 1, sweep: 0.5 } as const;
/** Metrics that alarms look at; test/lib/alarms.test.ts counts them. */
export const ALARM_METRICS = 28;

/** One million questions, asked and answered in one month, evenly; each task is kept for the month after its end. */
export function perMillion(counted: Counted): Used {
  const { requests, turns } = counted;
  const storedGb = (counted.storedBytes * MILLION) / GB;
  const logBytes =
    counted.metrics * ASSUMED.metricBytes +
    requests * ASSUMED.accessLogBytes +
    (requests + turns) * ASSUMED.functionLogBytes;
  return {
    apiRequests: requests * MILLION,
    lambdaRequests: (requests + turns) * MILLION,
    lambdaGbSeconds:
      (requests * ASSUMED.requestSeconds * MEMORY.api + turns * ASSUMED.turnSeconds * MEMORY.worker) * MILLION,
    writeUnits: (counted.tableUnits + counted.indexUnits) * MILLION,
    readUnits: counted.readUnits * MILLION,
    storedGbMonths: storedGb,
    recoverableGbMonths: storedGb,
    // Sent, received, deleted. A timer that is deleted before it fires costs nothing.
    queueRequests: counted.messagesSent * 3 * MILLION,
    logGb: (logBytes * MILLION) / GB,
    traces: traces(requests * MILLION),
    // Each is billed for the hours in which it says something.
    customMetrics: counted.metrics,
  };
}

/** One month in which nobody calls. */
export function idleMonth(): Used {
  const sweeps = (MONTH_SECONDS * 1_000) / limits.sweepIntervalMs;
  return {
    lambdaRequests: sweeps,
    lambdaGbSeconds: sweeps * ASSUMED.sweepSeconds * MEMORY.sweep,
    // An eventually consistent read of an empty shard.
    readUnits: sweeps * limits.dueShards * 0.5,
    queueRequests: 2 * ASSUMED.idlePolls,
    logGb: (sweeps * ASSUMED.functionLogBytes) / GB,
    traces: traces(sweeps),
    alarmMetrics: ALARM_METRICS,
    dashboards: 1,
    secrets: 1,
  };
}

function traces(requests: number): number {
  const { perSecond, ofOthers } = ASSUMED.traced;
  const first = Math.min(requests, perSecond * MONTH_SECONDS);
  return first + (requests - first) * ofOthers;
}

/** Lines of text with two decimals, the dearest first, and their sum. */
export function costTable(used: Used): readonly string[] {
  const lines = Object.entries(costLines(used)).sort(([, one], [, other]) => other - one);
  return [...lines, ['together', costOf(used)] as const].map(([name, usd]) => `${usd.toFixed(2).padStart(7)}  ${name}`);
}
