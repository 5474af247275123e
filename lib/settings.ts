/**
 * What may be set about a deployed agent, and the defaults. Limits of the protocol and of tasks are not here: they are
 * in core/limits.ts and the same everywhere.
 */
import { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Job } from './agent-function.ts';

export interface AgentLimits {
  /** At the gateway, over all callers. Default 50. */
  readonly requestsPerSecond?: number;
  /** Default 100. */
  readonly burst?: number;
  /** How long one turn's function may run; a longer turn goes on in another. Default 5 minutes, at most 15. */
  readonly turnTimeout?: Duration;
  /** Deliveries of a turn before its message becomes a dead letter. Default 5. */
  readonly turnDeliveries?: number;
  /**
   * Environments reserved for each function, and at once the most it may have: callers who wait in the api function can
   * then never starve the turns they wait for, and slow receivers of notifications nobody. Default: api 50, run-turn 20,
   * deadline 5, sweep 1, deliver-push 10, together 86 of an account's 1,000, of which 100 must stay unreserved. `false`
   * reserves nothing, for accounts with a lower quota.
   */
  readonly concurrency?: Readonly<Partial<Record<Job, number>>> | false;
}

export interface AgentRetention {
  /** Of function logs and access logs. Default one month, as long as a task is kept after its end. */
  readonly logs?: RetentionDays;
}

export interface AgentAlarms {
  /** Told when an alarm goes off and when it is over. */
  readonly actions?: readonly IAlarmAction[];
}

export const DEFAULT_CONCURRENCY: Readonly<Record<Job, number>> = {
  api: 50,
  'run-turn': 20,
  deadline: 5,
  sweep: 1,
  'deliver-push': 10,
};

export interface ResolvedLimits {
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly turnTimeout: Duration;
  readonly turnDeliveries: number;
  readonly concurrency: Readonly<Partial<Record<Job, number>>>;
  /** Turns that run at once, reserved or not. */
  readonly turnsAtOnce: number;
  /** Batches of notifications that are sent at once, reserved or not. */
  readonly pushesAtOnce: number;
}

/** A worker stops 30 s before its function's end (core/limits.ts), so less than a minute leaves no turn any time. */
const TURN_TIMEOUT_SECONDS = { min: 60, max: 900 };
/** What SQS lets Lambda take at once from one queue. */
const AT_ONCE = { min: 2, max: 1_000 };
const DELIVERIES_MAX = 1_000;

/** @throws Error that names the limit that cannot be */
export function resolveLimits(limits: AgentLimits = {}): ResolvedLimits {
  const turnTimeout = limits.turnTimeout ?? Duration.minutes(5);
  const seconds = turnTimeout.toSeconds();
  if (seconds < TURN_TIMEOUT_SECONDS.min || seconds > TURN_TIMEOUT_SECONDS.max) {
    throw new Error(`limits.turnTimeout must be between 1 and 15 minutes, not ${seconds} seconds`);
  }
  const concurrency: Partial<Record<Job, number>> =
    limits.concurrency === false ? {} : { ...DEFAULT_CONCURRENCY, ...limits.concurrency };
  for (const [job, most] of Object.entries(concurrency)) whole(`concurrency of ${job}`, most);
  const { requestsPerSecond = 50, burst = 100, turnDeliveries = 5 } = limits;
  if (!(requestsPerSecond > 0)) {
    throw new Error(`limits.requestsPerSecond must be more than 0, not ${requestsPerSecond}`);
  }
  whole('burst', burst);
  whole('turnDeliveries', turnDeliveries, DELIVERIES_MAX);
  return {
    throttle: { requestsPerSecond, burst },
    turnTimeout,
    turnDeliveries,
    concurrency,
    turnsAtOnce: atOnce('run-turn', concurrency),
    pushesAtOnce: atOnce('deliver-push', concurrency),
  };
}

function atOnce(job: Job, concurrency: Readonly<Partial<Record<Job, number>>>): number {
  const most = concurrency[job] ?? DEFAULT_CONCURRENCY[job];
  if (most < AT_ONCE.min) throw new Error(`limits.concurrency of ${job} must be at least ${AT_ONCE.min}, not ${most}`);
  return Math.min(most, AT_ONCE.max);
}

function whole(name: string, value: number, most?: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= (most ?? value)) return;
  const range = most === undefined ? 'from 1' : `from 1 to ${most}`;
  throw new Error(`limits.${name} must be a whole number ${range}, not ${value}`);
}

export function resolveLogRetention(retention: AgentRetention = {}): RetentionDays {
  return retention.logs ?? RetentionDays.ONE_MONTH;
}
