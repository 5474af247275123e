/**
 * Sorts what the AWS SDK throws: what may succeed when it is tried again becomes a `RetryableError`, everything else
 * (a request that is too large or malformed, missing rights) is a bug or a wrong deployment and surfaces as itself.
 */
import { RetryableError } from '../core/errors.ts';

/** What a service that does not answer is called in our errors. */
export type Unavailable = 'STORE_UNAVAILABLE' | 'QUEUE_UNAVAILABLE' | 'TIMERS_UNAVAILABLE';

const THROTTLED = new Set([
  'BandwidthLimitExceeded',
  'KmsThrottled',
  'OverLimit',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'ServiceQuotaExceededException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingError',
  'ThrottlingException',
  'TooManyRequestsException',
]);

const TRANSIENT = new Set([
  'InternalFailure',
  'InternalServerError',
  'InternalServerException',
  'NetworkingError',
  'ReplicatedWriteConflictException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
  // A plain write that met a transaction of somebody else.
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Node's names for a network that does not carry the request. */
const NETWORK = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Causes are looked through this deep. */
const DEPTH = 5;

/** The `RetryableError` to throw instead, or the error itself. */
export function sortError(error: unknown, unavailable: Unavailable): unknown {
  if (error instanceof RetryableError) return error;
  const kind = kindOf(error, DEPTH);
  if (kind === 'throttled') return new RetryableError('THROTTLED', `throttled: ${nameOf(error)}`, { cause: error });
  if (kind === 'transient') return new RetryableError(unavailable, `no answer: ${nameOf(error)}`, { cause: error });
  return error;
}

/** Always a `RetryableError`: for calls whose loss is covered by the sweeper, whatever went wrong. */
export function alwaysRetryable(error: unknown, unavailable: Unavailable): RetryableError {
  const sorted = sortError(error, unavailable);
  if (sorted instanceof RetryableError) return sorted;
  return new RetryableError(unavailable, `failed: ${nameOf(error)}`, { cause: error });
}

/** The name that AWS gave the error, as in `ConditionalCheckFailedException`. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

function kindOf(error: unknown, depth: number): 'throttled' | 'transient' | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, code, cause, $metadata, $retryable } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (THROTTLED.has(String(name)) || status === 429 || $retryable?.throttling) return 'throttled';
  if (TRANSIENT.has(String(name)) || NETWORK.has(String(code)) || status >= 500 || $retryable) return 'transient';
  return depth === 0 ? undefined : kindOf(cause, depth - 1);
}
