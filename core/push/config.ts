/**
 * A push config and how it moves: registered, claimed by a sender, delivered, failed, given up. Pure; the store writes
 * each step under the version it was computed from. Token and credentials are in it sealed only.
 */
import { fractionOf, shortHash } from '../ids.ts';
import { limits } from '../limits.ts';

export interface PushConfig {
  readonly id: string;
  /** Compare-and-set; one more with each move. */
  readonly version: number;
  readonly url: string;
  /** Of the `Authorization` header, in the caller's spelling. */
  readonly scheme?: string;
  /** `PushSecrets` as JSON, encrypted for `sealContext`; absent: there are none. */
  readonly sealed?: string;
  /** Registered in A2A 0.3, and told in it; absent: 1.0. */
  readonly protocol?: '0.3';
  /** Generation of the newest event that the receiver has taken. */
  readonly cursor: number;
  /** The sender that posts now; its token is of no use after `untilMs`. */
  readonly lease?: { readonly token: string; readonly untilMs: number };
  /** Present from the first failure to the next success. */
  readonly failing?: PushFailure;
  /** Nothing is sent any more until the config is registered again, or its dead letter is sent back. */
  readonly gaveUpAtMs?: number;
}

export interface PushFailure {
  readonly sinceMs: number;
  readonly attempts: number;
  /** Not to be tried again before. */
  readonly retryAtMs: number;
  /** What went wrong last, without anything of the address. */
  readonly why: string;
}

/** What is never shown again. */
export interface PushSecrets {
  readonly token?: string;
  readonly credentials?: string;
}

/** A caller's wish, checked; `sealed` holds its secrets. */
export type Registration = Pick<PushConfig, 'id' | 'url' | 'scheme' | 'sealed' | 'protocol'>;

/**
 * The id of a config whose caller gave none: the same for the same address, so that a request sent twice registers
 * once. Secrets stay out, since a digest of a weak one can be guessed back.
 */
export function derivedConfigId(url: string): string {
  return `w-${shortHash(url)}`;
}

/** Binds sealed secrets to their place. */
export function sealContext(taskId: string, configId: string): string {
  return `${taskId}/push/${configId}`;
}

/**
 * A new config hears of what comes after `generation`. One that stands goes on from where it was, whatever happened to
 * it, and sends what it missed: registering again is how a receiver comes back. Versions of a new one begin beyond those
 * of an earlier one of its id, whose sender may still be posting and must not take this one for its own.
 */
export function registered(
  standing: PushConfig | undefined,
  wish: Registration,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): PushConfig {
  const version = standing ? standing.version + 1 : nowMs * VERSIONS_PER_MS;
  return { ...wish, version, cursor: standing?.cursor ?? generation };
}

/** More moves than a config makes in a millisecond. */
const VERSIONS_PER_MS = 1_000;

/** Why this config is not to be sent from now; undefined: it is. `generation` is the task's. */
export function idleReason(
  config: PushConfig,
  generation: number,
  nowMs: number,
): 'told' | 'given-up' | 'leased' | 'waiting' | undefined {
  if (config.cursor >= generation) return 'told';
  if (config.gaveUpAtMs !== undefined) return 'given-up';
  if (config.lease && config.lease.untilMs > nowMs) return 'leased';
  return config.failing && config.failing.retryAtMs > nowMs ? 'waiting' : undefined;
}

export function claimed(config: PushConfig, token: string, nowMs: number): PushConfig {
  return { ...config, version: config.version + 1, lease: { token, untilMs: nowMs + limits.pushLeaseMs } };
}

export function released(config: PushConfig): PushConfig {
  const { lease: _given, ...rest } = config;
  return { ...rest, version: config.version + 1 };
}

/** The receiver took the event of this generation. The lease goes on, or is given up after the last event. */
export function delivered(config: PushConfig, generation: number, nowMs: number, last: boolean): PushConfig {
  const { failing: _over, lease, ...rest } = config;
  const kept = lease && !last ? { lease: { ...lease, untilMs: nowMs + limits.pushLeaseMs } } : {};
  return { ...rest, ...kept, version: config.version + 1, cursor: Math.max(config.cursor, generation) };
}

/** The receiver did not: later once more, or never when it has failed for a day or says that it is gone. */
export function failed(config: PushConfig, why: string, nowMs: number, gone: boolean): PushConfig {
  const { lease: _given, ...rest } = config;
  const attempts = (config.failing?.attempts ?? 0) + 1;
  const sinceMs = config.failing?.sinceMs ?? nowMs;
  const retryAtMs = nowMs + retryDelayMs(config.id, attempts);
  const over = gone || nowMs - sinceMs >= limits.pushGiveUpMs;
  return {
    ...rest,
    version: config.version + 1,
    failing: { sinceMs, attempts, retryAtMs, why },
    ...(over ? { gaveUpAtMs: nowMs } : {}),
  };
}

/** An operator sent the dead letter back: as if it had never failed. */
export function revived(config: PushConfig): PushConfig {
  const { failing: _over, gaveUpAtMs: _ended, ...rest } = config;
  return { ...rest, version: config.version + 1 };
}

/** Doubles from 5 s to 15 min, and is up to a fifth longer, so that many tasks do not come back in one moment. */
function retryDelayMs(id: string, attempts: number): number {
  const delayMs = Math.min(limits.pushRetryMinMs * 2 ** Math.min(attempts - 1, 16), limits.pushRetryMaxMs / 1.2);
  return Math.floor(delayMs * (1 + 0.2 * fractionOf(`${id}#${attempts}`)));
}
