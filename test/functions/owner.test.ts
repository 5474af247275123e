/** Owners come from what the gateway verified and from nothing else (design section 10, invariant 10). */
import { describe, expect, it } from 'vitest';
import { ownerKey } from '../../core/ids.ts';
import { ownerOf } from '../../functions/owner.ts';
import { ANONYMOUS, gatewayEvent, ROLE_IDENTITY } from './events.ts';

const signedBy = (identity: Partial<typeof ANONYMOUS>) =>
  ownerOf(gatewayEvent({ identity: { ...ANONYMOUS, ...identity } }));
const authorized = (authorizer: Record<string, unknown>) => ownerOf(gatewayEvent({ identity: ANONYMOUS, authorizer }));

describe('IAM: account and unique id, never the session name', () => {
  it('two sessions of one role are one owner', () => {
    const one = signedBy(ROLE_IDENTITY);
    const other = signedBy({ ...ROLE_IDENTITY, caller: 'AROAEXAMPLEROLE:other-session' });
    expect(one).toEqual({ tenant: '111122223333', principal: 'AROAEXAMPLEROLE' });
    expect(other).toEqual(one);
  });

  it('a user, a role of the same session name, and another account are different owners', () => {
    expect(signedBy({ accountId: '111122223333', caller: 'AIDAEXAMPLEUSER' })).toEqual({
      tenant: '111122223333',
      principal: 'AIDAEXAMPLEUSER',
    });
    expect(signedBy({ accountId: '111122223333', caller: 'AROAOTHERROLE:finance-session-1' })?.principal).toBe(
      'AROAOTHERROLE',
    );
    expect(signedBy({ accountId: '444455556666', caller: 'AROAEXAMPLEROLE:x' })?.tenant).toBe('444455556666');
  });

  it('federated users share neither with each other nor with the account’s root, whose unique id is the account', () => {
    const federated = (caller: string) => signedBy({ accountId: '111122223333', caller })?.principal;
    expect(federated('111122223333:ann')).toBe('111122223333:ann');
    expect(federated('111122223333:bob')).toBe('111122223333:bob');
    expect(federated('111122223333')).toBe('111122223333');
    expect(federated('111122223333:')).toBeUndefined();
  });

  it('users of one Cognito identity pool share a role but not their tasks', () => {
    const pooled = (cognitoIdentityId: string) =>
      signedBy({ accountId: '1', caller: 'AROAPOOL:CognitoIdentityCredentials', cognitoIdentityId });
    expect(pooled('eu-west-1:aaa')).toEqual({ tenant: '1', principal: 'AROAPOOL/eu-west-1:aaa' });
    expect(pooled('eu-west-1:bbb')).toEqual({ tenant: '1', principal: 'AROAPOOL/eu-west-1:bbb' });
  });

  it.each([
    {},
    { accountId: '1' },
    { caller: 'AROA:x' },
    { accountId: '1', caller: '' },
    { accountId: '1', caller: ':x' },
  ])('nobody vouches for %j', (identity) => {
    expect(signedBy(identity)).toBeUndefined();
  });
});

describe('JWT: issuer, tenant claim and subject', () => {
  const claims = { iss: 'https://login.example.com', sub: 'user-1', tenant: 'acme' };
  it.each([{ claims }, claims, { claims: { iss: claims.iss, sub: claims.sub, 'custom:tenant': 'acme' } }])(
    'from %j',
    (authorizer) => {
      expect(authorized(authorizer)).toEqual({ tenant: 'acme', principal: 'https://login.example.com#user-1' });
    },
  );

  it('the same subject of another issuer or tenant is another owner', () => {
    const keys = [
      claims,
      { ...claims, iss: 'https://evil.example.com' },
      { ...claims, tenant: 'globex' },
      { iss: claims.iss, sub: claims.sub },
    ].map((each) => ownerKey(authorized({ claims: each })!));
    expect(new Set(keys).size).toBe(4);
  });

  it('claims without issuer or subject are nobody, even when the request was also signed', () => {
    for (const broken of [{}, { iss: 'x' }, { sub: 'x' }, { iss: 1, sub: 'x' }, { iss: 'x', sub: '' }]) {
      expect(ownerOf(gatewayEvent({ authorizer: { claims: broken } }))).toBeUndefined();
    }
  });
});

describe('local: named test users', () => {
  it('are what the local server says', () => {
    expect(authorized({ tenant: 'local', principal: 'alice' })).toEqual({ tenant: 'local', principal: 'alice' });
    expect(authorized({ principal: 'alice' })).toEqual({ tenant: '', principal: 'alice' });
    expect(authorized({ tenant: 'local' })).toBeUndefined();
  });
});

describe('who vouches is settled at deployment', () => {
  const context = { principal: 'https://login.example.com#user-1', tenant: 'acme' };
  const event = (authorizer: Record<string, unknown> | null, identity = ANONYMOUS) =>
    gatewayEvent({ authorizer, identity });

  it('IAM: fields of an authorizer are not looked at', () => {
    const forged = { ...context, claims: { iss: 'https://login.example.com', sub: 'user-1' } };
    expect(ownerOf(event(forged, { ...ANONYMOUS, ...ROLE_IDENTITY }), 'iam')).toEqual({
      tenant: '111122223333',
      principal: 'AROAEXAMPLEROLE',
    });
    expect(ownerOf(event(forged), 'iam')).toBeUndefined();
  });

  it('an authorizer: a signature is not looked at', () => {
    expect(ownerOf(event(null, { ...ANONYMOUS, ...ROLE_IDENTITY }), 'authorizer')).toBeUndefined();
    expect(ownerOf(event(context), 'authorizer')).toEqual(context);
  });

  it('an answer that the gateway kept does not outlive its token', () => {
    // The event's request time is 1796032800000; half a minute is for clocks that differ.
    const at = (expiresAtSeconds: unknown) => ownerOf(event({ ...context, expiresAtSeconds }), 'authorizer');
    expect(at('1796032771')).toEqual(context);
    expect(at('1796032770')).toBeUndefined();
    expect(at('soon')).toBeUndefined();
    expect(at(null)).toBeUndefined();
  });
});
