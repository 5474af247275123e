/**
 * Errors on the wire: each becomes one `ProtocolError`, and that one JSON-RPC error object (A2A 1.0 section 9.5) or one
 * google.rpc.Status (section 11.6). Codes stand in the table of core/errors.ts.
 */
import { PROTOCOL_ERRORS, ProtocolError, type ProtocolErrorReason, RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../ports.ts';

const DOMAIN = 'a2a-protocol.org';

/**
 * What the caller is told. Retryable errors become `UNAVAILABLE`; what is neither is ours: it is logged, and the caller
 * gets `INTERNAL` with the request's id to quote, and nothing of its text.
 */
export function toProtocolError(error: unknown, log: Log, requestId: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof RetryableError) {
    log.warn('request could not be served now', { requestId, error });
    return new ProtocolError('UNAVAILABLE', 'Temporarily unavailable; send the same request again', {
      retryAfterSeconds: limits.retryAfterSeconds,
      cause: error,
    });
  }
  log.error('request failed', { requestId, error });
  return new ProtocolError('INTERNAL', 'Internal error', { metadata: { correlationId: requestId }, cause: error });
}

interface Detail {
  readonly '@type': string;
  readonly [field: string]: unknown;
}

/** ErrorInfo first; violations stand in it too, because some clients keep nothing but ErrorInfo. */
function details(error: ProtocolError): readonly Detail[] {
  const { violations, retryAfterSeconds } = error;
  const metadata =
    violations.length > 0 ? { ...error.metadata, fieldViolations: JSON.stringify(violations) } : error.metadata;
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: error.reason, domain: DOMAIN };
  const all: Detail[] = [Object.keys(metadata).length > 0 ? { ...info, metadata } : info];
  if (violations.length > 0) {
    all.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations });
  }
  if (retryAfterSeconds !== undefined) {
    all.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` });
  }
  return all;
}

/** The `error` member of a JSON-RPC response. */
export function rpcError(error: ProtocolError): { code: number; message: string; data: readonly Detail[] } {
  return { code: PROTOCOL_ERRORS[error.reason].rpc, message: error.message, data: details(error) };
}

export interface StatusBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly message: string;
    readonly details: readonly Detail[];
  };
}

/** The body of an HTTP+JSON error. */
export function statusBody(error: ProtocolError): StatusBody {
  const { http, status } = PROTOCOL_ERRORS[error.reason];
  return { error: { code: http, status, message: error.message, details: details(error) } };
}

export function httpStatus(error: ProtocolError): number {
  return PROTOCOL_ERRORS[error.reason].http;
}

/** What the HTTP layer itself answers; proxies, retries and alarms go by these, so JSON-RPC does not hide them. */
const TRANSPORT_REASONS: ReadonlySet<ProtocolErrorReason> = new Set([
  'METHOD_NOT_ALLOWED',
  'REQUEST_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'UNAVAILABLE',
  'TOO_MANY_STREAMS',
  'CALLBACK_GONE',
  'INTERNAL',
]);

/** A JSON-RPC error is an answer, hence 200, unless it is about the transport or about us. */
export function rpcHttpStatus(error: ProtocolError): number {
  return TRANSPORT_REASONS.has(error.reason) ? PROTOCOL_ERRORS[error.reason].http : 200;
}

export function errorHeaders(error: ProtocolError): Record<string, string> {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.reason === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Bearer';
  return headers;
}
