import { describe, expect, it } from 'vitest';
import { notification } from '../../../core/push/request.ts';
import { signature, verifySignature } from '../../../core/push/signature.ts';

const NOW = 1_800_000_000_000;
const json = {
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: 'x' } },
} as const;
const BODY = '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"x"}}}';
const check = (header: string, over: { secret?: string; body?: string; nowMs?: number } = {}) =>
  verifySignature(header, over.secret ?? 'tok-1', over.body ?? BODY, { nowMs: over.nowMs ?? NOW, windowMs: 300_000 });

describe('the signature of a notification (docs/push-notifications.md)', () => {
  it('is HMAC-SHA256 in hex over the time in seconds, a dot, and the body', () => {
    // printf '1800000000.{}' | openssl dgst -sha256 -hmac key
    expect(signature('key', '{}', NOW + 999)).toBe(
      't=1800000000,v1=7321475872b03ff21bdc2dfd86ea2d99ec29c479fbe4a77aa6acf4509505493f',
    );
  });

  it('holds for its body, its secret and its time, and for nothing else', () => {
    const header = signature('tok-1', BODY, NOW);
    expect(check(header)).toBe('valid');
    expect(check(header, { body: `${BODY} ` })).toBe('wrong');
    expect(check(header, { secret: 'tok-2' })).toBe('wrong');
    expect(check(header.replace('t=1800000000', 't=1800000001'))).toBe('wrong');
    expect(check(header, { nowMs: NOW + 300_000 })).toBe('valid');
    expect(check(header, { nowMs: NOW + 301_000 })).toBe('too-old');
    expect(check(header, { nowMs: NOW - 301_000 })).toBe('too-old');
  });

  it('is valid when one of several codes is, so that keys can be changed', () => {
    const [time, code] = signature('tok-1', BODY, NOW).split(',');
    expect(check(`${time}, v1=${'0'.repeat(64)}, ${code}`)).toBe('valid');
  });

  it.each(['', 'v1=', 't=1800000000', `v1=${'0'.repeat(64)}`, 't=x,v1=00', 't=1800000000,v1=zz', 't=1e3,v1=00', '=,='])(
    '%j is malformed',
    (header) => {
      expect(check(header)).toBe('malformed');
    },
  );
});

describe('the headers of a notification (A2A 4.3.3, R45)', () => {
  const headersOf = (scheme: string | undefined, secrets: { token?: string; credentials?: string }) => {
    const { headers, body, url } = notification(
      { url: 'https://receiver.example/hook', ...(scheme === undefined ? {} : { scheme }) },
      secrets,
      { mediaType: 'application/a2a+json', json },
      NOW,
    );
    expect(body).toBe(BODY);
    expect(url).toBe('https://receiver.example/hook');
    const { 'Content-Type': type, 'User-Agent': agent, ...rest } = headers;
    expect([type, agent]).toEqual(['application/a2a+json', 'askback']);
    return rest;
  };

  it('are the token, the authorization as it was given, and a signature by the token', () => {
    const { 'X-Askback-Signature': signed, ...rest } = headersOf('Bearer', { token: 'tok-1', credentials: 'secret' });
    expect(rest).toEqual({ Authorization: 'Bearer secret', 'X-A2A-Notification-Token': 'tok-1' });
    expect(check(signed ?? '')).toBe('valid');
  });

  it('never hold the credentials that sign', () => {
    const headers = headersOf('hmac-sha256', { token: 'tok-1', credentials: 'shared-secret' });
    expect(JSON.stringify(headers)).not.toContain('shared-secret');
    const signed = headers['X-Askback-Signature'] ?? '';
    expect(headers).toEqual({
      Authorization: `hmac-sha256 ${signed}`,
      'X-A2A-Notification-Token': 'tok-1',
      'X-Askback-Signature': signed,
    });
    expect(check(signed, { secret: 'shared-secret' })).toBe('valid');
    expect(check(signed, { secret: 'tok-1' })).toBe('wrong');
  });

  it('are none where nothing was given', () => {
    expect(headersOf(undefined, {})).toEqual({});
    expect(headersOf('Negotiate', {})).toEqual({ Authorization: 'Negotiate' });
    expect(headersOf('HMAC-SHA256', {})).toEqual({ Authorization: 'HMAC-SHA256' });
  });
});
