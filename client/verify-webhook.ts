/**
 * For whoever receives notifications: proves that a request comes from the agent it was asked of, that nobody changed
 * its body, and that it is no recording. docs/push-notifications.md says what signs it. Leaves out what only the
 * receiver knows: whether it has had this event before, and whether the task is one of its own.
 */
import { limits } from '../core/limits.ts';
import type { StreamResponse } from '../core/message.ts';
import { SIGNATURE_HEADER, verifySignature } from '../core/push/signature.ts';

export interface ReceivedRequest {
  /** A `Headers` object, or Node's plain one with names in lower case. */
  readonly headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it arrived, not parsed and written again. */
  readonly body: string | Uint8Array;
}

export interface VerifyOptions {
  /** How old a signature may be, or how far ahead of this clock, in milliseconds. Default 5 minutes. */
  readonly replayWindowMs?: number;
  /** Milliseconds since the epoch; default: the machine's clock. */
  readonly nowMs?: number;
}

/** The request is not to be trusted; answer 401 and do nothing else. */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError';
  readonly reason: 'unsigned' | 'malformed' | 'wrong' | 'too-old' | 'not-json';

  constructor(reason: WebhookRefusedError['reason']) {
    super(`the notification was refused: ${reason}`);
    this.reason = reason;
  }
}

/**
 * The event that a genuine request carries.
 * @param secret the credentials of the config when its scheme is HMAC-SHA256, otherwise its token
 * @throws WebhookRefusedError; an ordinary Error for an empty secret, which is a mistake of the receiver's own
 * @example
 * const event = verifyWebhook({ headers: request.headers, body: await request.text() }, secret);
 */
export function verifyWebhook(
  { headers, body }: ReceivedRequest,
  secret: string,
  options: VerifyOptions = {},
): StreamResponse {
  if (secret === '') throw new Error('the secret is empty: anybody could have signed with it');
  const signature = headerOf(headers, SIGNATURE_HEADER.toLowerCase());
  if (signature === undefined) throw new WebhookRefusedError('unsigned');
  const { nowMs = Date.now(), replayWindowMs = limits.pushReplayWindowMs } = options;
  const verified = verifySignature(signature, secret, body, { nowMs, windowMs: replayWindowMs });
  if (verified !== 'valid') throw new WebhookRefusedError(verified);
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as StreamResponse;
  } catch {
    throw new WebhookRefusedError('not-json');
  }
}

function headerOf(headers: ReceivedRequest['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : value?.join(', ');
}

function isHeaders(headers: ReceivedRequest['headers']): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
