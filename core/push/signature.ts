/**
 * The signature of a notification: `t=<seconds since the epoch>,v1=<HMAC-SHA256 in hex>` over `<t>.<body>`. The key is
 * the credentials of a config whose scheme is `HMAC-SHA256`, which are then never sent themselves; otherwise its token.
 * docs/push-notifications.md says what each is worth.
 */
import { createHmac } from 'node:crypto';
import { sameText } from '../same-text.ts';

export const SIGNATURE_HEADER = 'X-Askback-Signature';
export const TOKEN_HEADER = 'X-A2A-Notification-Token';

/** Compared without regard to case, as schemes are (RFC 9110 section 11.1). */
export const SIGNING_SCHEME = 'HMAC-SHA256';

export function signature(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  return `t=${seconds},v1=${code(secret, seconds, body)}`;
}

export type Verified = 'valid' | 'malformed' | 'wrong' | 'too-old';

/** A signature may hold several `v1`, one for each key while keys change; one that fits is enough. */
export function verifySignature(
  header: string,
  secret: string,
  body: string | Uint8Array,
  clock: { readonly nowMs: number; readonly windowMs: number },
): Verified {
  const fields = header.split(',').map((field) => field.trim().split('=', 2));
  const [, time] = fields.find(([name]) => name === 't') ?? [];
  const codes = fields.flatMap(([name, value]) => (name === 'v1' && /^[0-9a-f]{64}$/.test(value ?? '') ? [value] : []));
  if (time === undefined || !/^[0-9]{1,12}$/.test(time) || codes.length === 0) return 'malformed';
  const seconds = Number(time);
  const expected = code(secret, seconds, body);
  if (!codes.some((given) => sameText(expected, given ?? ''))) return 'wrong';
  return Math.abs(clock.nowMs - seconds * 1_000) <= clock.windowMs ? 'valid' : 'too-old';
}

function code(secret: string, seconds: number, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}
