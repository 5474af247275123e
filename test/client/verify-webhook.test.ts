import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookRefusedError } from '../../client/verify-webhook.ts';
import { signature } from '../../core/push/signature.ts';

const NOW = 1_800_000_000_000;
const BODY = '{"statusUpdate":{"taskId":"t"}}';
const signed = signature('s3cret', BODY, NOW);

function reasonOf(act: () => unknown): string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookRefusedError ? error.reason : `threw ${String(error)}`;
  }
}

describe('verifyWebhook', () => {
  it.each([
    ['Headers', new Headers({ 'X-Askback-Signature': signed })],
    ["Node's headers", { 'x-askback-signature': signed, host: 'x' }],
    ['a list of values', { 'x-askback-signature': signed.split(',') }],
  ])('gives the event of a genuine request, with %s', (_what, headers) => {
    const event = verifyWebhook({ headers, body: BODY }, 's3cret', { nowMs: NOW });
    expect(event).toEqual({ statusUpdate: { taskId: 't' } });
    const bytes = Buffer.from(BODY);
    expect(verifyWebhook({ headers, body: bytes }, 's3cret', { nowMs: NOW })).toEqual(event);
  });

  it.each([
    ['unsigned', {}, BODY, NOW],
    ['malformed', { 'x-askback-signature': 'v1=1' }, BODY, NOW],
    ['wrong', { 'x-askback-signature': signed }, `${BODY}\n`, NOW],
    ['too-old', { 'x-askback-signature': signed }, BODY, NOW + 301_000],
    ['not-json', { 'x-askback-signature': signature('s3cret', '<', NOW) }, '<', NOW],
  ])('throws on a request that is %s', (reason, headers, body, nowMs) => {
    expect(reasonOf(() => verifyWebhook({ headers, body }, 's3cret', { nowMs }))).toBe(reason);
  });

  it('takes the window that it is given, and the clock of the machine by default', () => {
    const request = { headers: { 'x-askback-signature': signed }, body: BODY };
    expect(reasonOf(() => verifyWebhook(request, 's3cret', { nowMs: NOW + 301_000, replayWindowMs: 600_000 }))).toBe(
      'accepted',
    );
    const fresh = { headers: { 'x-askback-signature': signature('s3cret', BODY, Date.now()) }, body: BODY };
    expect(reasonOf(() => verifyWebhook(fresh, 's3cret'))).toBe('accepted');
  });
});
