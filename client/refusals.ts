/**
 * Tells an agent that refuses from one that could not be understood: the first is final, after the second nobody knows
 * whether the request arrived. The official client reports both as errors of many classes.
 */
import { A2AError } from '@a2a-js/sdk/errors';

/** Busy, broken for the moment, or nothing that makes sense; said in the words of A2A, yet no decision. */
const PASSING = new Set(['UNAVAILABLE', 'TOO_MANY_STREAMS', 'INVALID_AGENT_RESPONSE']);
/** The same under JSON-RPC: internal error, and this server's own for busy. */
const PASSING_CODES = new Set([-32603, -32092, -32093]);
/** A request that took too long, one that came too early, too many of them. */
const PASSING_STATUS = new Set([408, 425, 429]);
/** How the official client reports a body that is no A2A error, such as a gateway's. */
const STATUS = /^HTTP error\b.*?\b([1-5][0-9]{2})\b/;

/** Whether the agent has decided: sending the same again would end the same. */
export function isRefusal(error: unknown): boolean {
  if (isPassing(error)) return false;
  const status = statusOf(error);
  return error instanceof A2AError || (status !== undefined && status >= 400);
}

/** Whether somebody answered that it cannot be done now: an agent, or what stands before it. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined && (PASSING_STATUS.has(status) || status >= 500)) return true;
  if (!(error instanceof A2AError)) return false;
  const code = 'envelopeCode' in error ? error.envelopeCode : undefined;
  // The official client's own word for an answer that it cannot read; what an agent says has a status or a code.
  if (error.reason === 'INTERNAL_ERROR' && code === undefined && !('statusCode' in error)) return true;
  return PASSING.has(error.reason) || (typeof code === 'number' && PASSING_CODES.has(code));
}

/** Whether the agent says that there is nothing of that kind here: the task has ended, or it does not stream. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof A2AError && error.reason === 'UNSUPPORTED_OPERATION';
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof A2AError) {
    return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  }
  const [, status] = error.message.slice(0, 300).match(STATUS) ?? [];
  return status === undefined ? undefined : Number(status);
}
