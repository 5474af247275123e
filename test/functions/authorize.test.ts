/** Callers known by the JWT of an issuer (design section 10): what is let in, what is not, and what is told of it. */
import { createHmac } from 'node:crypto';
import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JwtAuth } from '../../functions/auth-settings.ts';
import { authorizeHandler } from '../../functions/authorize.ts';
import { issuerKeys } from '../../functions/issuer-keys.ts';
import { ownerOf } from '../../functions/owner.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { ANONYMOUS, gatewayEvent, lambdaContext } from './events.ts';
import {
  bearer,
  CLAIMS,
  ISSUER,
  type IssuerKey,
  makeKey,
  NOW_MS,
  NOW_SECONDS,
  spki,
  TokenIssuer,
} from './token-issuer.ts';

const METHOD = 'arn:aws:execute-api:eu-west-1:111122223333:abc123/a2a/POST/tasks/t-1:cancel';
const AUTH: JwtAuth = { issuer: ISSUER, audience: ['expenses'], tenantClaim: undefined };

let key: IssuerKey;
let rsa: IssuerKey;
let issuer: TokenIssuer;

beforeAll(async () => {
  key = await makeKey('key-1');
  rsa = await makeKey('key-rsa', 'RS256');
  issuer = new TokenIssuer(key, rsa);
});

function world(auth: Partial<JwtAuth> = {}, of: TokenIssuer = issuer) {
  const log = new QuietLog();
  const clock = { now: () => NOW_MS };
  const keys = issuerKeys({ issuer: ISSUER, fetchJson: of.fetchJson, now: clock.now });
  const handler = authorizeHandler({ auth: { ...AUTH, ...auth }, keys, clock, log });
  const event = (authorizationToken: string, methodArn = METHOD): APIGatewayTokenAuthorizerEvent => ({
    type: 'TOKEN',
    authorizationToken,
    methodArn,
  });
  const authorize = async (token: string, arn?: string) => handler(event(token, arn), lambdaContext());
  return { log, authorize };
}

/** Refused with the message that makes a 401 of it; the reason is in the log. */
async function refused(token: string, auth: Partial<JwtAuth> = {}): Promise<unknown> {
  const { log, authorize } = world(auth);
  await expect(authorize(token)).rejects.toThrow(/^Unauthorized$/);
  expect(log.lines).toHaveLength(1);
  return log.lines[0]?.fields.reason;
}

const unsigned = (header: object, claims: object = CLAIMS) =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

describe('a token of the issuer', () => {
  it('is let in to the whole stage, whatever was called: the gateway keeps the answer for all methods', async () => {
    expect(await world().authorize(await bearer(key))).toEqual({
      principalId: 'https://login.example.com#user-1',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: 'arn:aws:execute-api:eu-west-1:111122223333:abc123/a2a/*',
          },
        ],
      },
      context: { principal: 'https://login.example.com#user-1', expiresAtSeconds: 1_796_036_400 },
    });
  });

  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('may be signed with %s', async (alg) => {
    const own = await makeKey('own', alg);
    const { context } = await world({}, new TokenIssuer(own)).authorize(await bearer(own));
    expect(context?.principal).toBe('https://login.example.com#user-1');
  });

  it('may name several audiences, and the agent may have several', async () => {
    const several = await bearer(key, { ...CLAIMS, aud: ['other', 'expenses'] });
    await expect(world().authorize(several)).resolves.toBeDefined();
    const second = await bearer(key, { ...CLAIMS, aud: 'https://agents.example.com' });
    const { authorize } = world({ audience: ['expenses', 'https://agents.example.com'] });
    await expect(authorize(second)).resolves.toBeDefined();
  });

  it('is taken half a minute before it begins and after it ends, and no longer', async () => {
    const at = (claims: object) => bearer(key, { ...CLAIMS, ...claims });
    await expect(world().authorize(await at({ exp: NOW_SECONDS - 29 }))).resolves.toBeDefined();
    await expect(world().authorize(await at({ nbf: NOW_SECONDS + 30 }))).resolves.toBeDefined();
    expect(await refused(await at({ exp: NOW_SECONDS - 30 }))).toBe('exp: check_failed');
    expect(await refused(await at({ nbf: NOW_SECONDS + 31 }))).toBe('nbf: check_failed');
  });

  it('needs no particular spelling of "Bearer"', async () => {
    const token = await bearer(key);
    await expect(world().authorize(token.replace('Bearer', 'bearer'))).resolves.toBeDefined();
  });
});

describe('a token that names no key', () => {
  it('is tried with the issuer’s only key for its algorithm, and refused where there are several (OIDC Core 10.1)', async () => {
    const token = await bearer(key, CLAIMS, { kid: undefined });
    await expect(world({}, new TokenIssuer(key, rsa)).authorize(token)).resolves.toBeDefined();
    const rotating = world({}, new TokenIssuer(key, await makeKey('key-2')));
    await expect(rotating.authorize(token)).rejects.toThrow('Unauthorized');
    expect(rotating.log.lines.at(-1)?.fields.reason).toBe('ERR_JWKS_MULTIPLE_MATCHING_KEYS');
  });
});

describe('what is not a token of this issuer for this agent is 401', () => {
  it.each([
    ['another audience', { aud: 'invoices' }, 'aud: check_failed'],
    ['no audience', { aud: undefined }, 'aud: missing'],
    ['another issuer', { iss: 'https://evil.example.com' }, 'iss: check_failed'],
    ['the issuer with a slash', { iss: 'https://login.example.com/' }, 'iss: check_failed'],
    ['no issuer', { iss: undefined }, 'iss: missing'],
    ['no end', { exp: undefined }, 'exp: missing'],
    ['an end that is no number', { exp: '1796036400' }, 'exp: invalid'],
    ['no subject', { sub: undefined }, 'sub: missing'],
    ['an empty subject', { sub: '' }, 'sub'],
    ['a subject that is no text', { sub: 1 }, 'sub'],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }, 'sub'],
    // RFC 7800 section 3: by DPoP (RFC 9449), and by a client certificate (RFC 8705).
    [
      'one bound to a key by DPoP',
      { cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' } },
      'cnf: bound to a key, and taken as a bearer token only',
    ],
    [
      'one bound to a certificate',
      { cnf: { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' } },
      'cnf: bound to a key, and taken as a bearer token only',
    ],
    ['one bound to nothing that can be read', { cnf: null }, 'cnf: bound to a key, and taken as a bearer token only'],
    ['a subject with a line end', { sub: 'user-1\nuser-2' }, 'sub'],
  ])('%s', async (_what, claims, reason) => {
    expect(await refused(await bearer(key, { ...CLAIMS, ...claims }))).toBe(reason);
  });

  it('alg none, whatever its spelling and signature', async () => {
    for (const alg of ['none', 'None', '']) {
      const token = unsigned({ alg, kid: 'key-1' });
      expect(await refused(`Bearer ${token}.`)).toBe('not a bearer token of three parts');
      expect(await refused(`Bearer ${token}.AAAA`)).toMatch(/^ERR_J/);
    }
  });

  it('HS256 with the public key as the secret', async () => {
    const token = unsigned({ alg: 'HS256', kid: 'key-rsa', typ: 'JWT' });
    const signature = createHmac('sha256', await spki(rsa))
      .update(token)
      .digest('base64url');
    expect(await refused(`Bearer ${token}.${signature}`)).toBe('ERR_JOSE_ALG_NOT_ALLOWED');
  });

  it('signed by somebody else under the kid of the issuer, or changed after signing', async () => {
    const other = await makeKey('key-1');
    expect(await refused(await bearer(other))).toBe('ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
    const [header, , signature] = (await bearer(key)).split('.');
    const claims = Buffer.from(JSON.stringify({ ...CLAIMS, sub: 'admin' })).toString('base64url');
    expect(await refused([header, claims, signature].join('.'))).toBe('ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
  });

  it('a key that the token brings along or points to', async () => {
    const other = await makeKey('own');
    const { exportJWK } = await import('jose');
    const jwk = await exportJWK(other.publicKey);
    expect(await refused(await bearer(other, CLAIMS, { jwk, jku: 'https://evil.example.com/jwks' }))).toBe(
      'ERR_JWKS_NO_MATCHING_KEY',
    );
    expect(issuer.asked.filter((url) => url.includes('evil'))).toEqual([]);
  });

  it('the algorithm of another key, and an extension that must be understood', async () => {
    expect(await refused(await bearer({ ...rsa, kid: 'key-1' }))).toBe('ERR_JWKS_NO_MATCHING_KEY');
    const token = unsigned({ alg: 'ES256', kid: 'key-1', crit: ['own'], own: 1 });
    expect(await refused(`Bearer ${token}.AAAA`)).toBe('ERR_JOSE_NOT_SUPPORTED');
  });

  it.each([
    ['nothing', ''],
    ['Basic', 'Basic dXNlcjpwYXNz'],
    ['no scheme', 'abc.def.ghi'],
    ['two parts', 'Bearer abc.def'],
    ['five parts, which is encrypted', 'Bearer a.b.c.d.e'],
    ['two tokens', 'Bearer a.b.c, Bearer d.e.f'],
    ['not base64url', 'Bearer a+b.c/d.e='],
  ])('%s', async (_what, authorization) => {
    expect(await refused(authorization)).toBe('not a bearer token of three parts');
  });

  it('three parts of nothing, and more than a header holds, which is not looked at', async () => {
    expect(await refused('Bearer a.b.c')).toMatch(/^ERR_J/);
    expect(await refused(`Bearer ${'a'.repeat(9_000)}.b.c`)).toBe('too long');
    expect(await refused(await bearer(key, { ...CLAIMS, groups: 'g'.repeat(9_000) }))).toBe('too long');
  });
});

describe('the tenant', () => {
  const tenantClaim = 'https://example.com/tenant';

  it('is what the configured claim says', async () => {
    const { context } = await world({ tenantClaim }).authorize(await bearer(key, { ...CLAIMS, [tenantClaim]: 'acme' }));
    expect(context).toMatchObject({ tenant: 'acme', principal: 'https://login.example.com#user-1' });
  });

  it.each([[undefined], [''], [42], [true], [null], [['acme']], [{ id: 'acme' }], ['x'.repeat(129)], ['a\u0000b']])(
    '%j is none: the token is refused instead of sharing "no tenant" with others',
    async (tenant) => {
      const token = await bearer(key, { ...CLAIMS, [tenantClaim]: tenant });
      expect(await refused(token, { tenantClaim })).toBe('the tenant claim');
    },
  );

  it('is no property that every object has', async () => {
    expect(await refused(await bearer(key), { tenantClaim: 'constructor' })).toBe('the tenant claim');
  });

  it('where no claim is configured, no claim is read', async () => {
    const { context } = await world().authorize(await bearer(key, { ...CLAIMS, tenant: 'acme' }));
    expect(context).not.toHaveProperty('tenant');
  });
});

describe('what goes on', () => {
  it('the api function reads the owner from the answer; the gateway turns numbers into text', async () => {
    const token = await bearer(key, { ...CLAIMS, tenant: 'acme' });
    const { context, principalId } = await world({ tenantClaim: 'tenant' }).authorize(token);
    const passed = { ...context, expiresAtSeconds: String(context?.expiresAtSeconds), principalId };
    expect(ownerOf(gatewayEvent({ identity: ANONYMOUS, authorizer: passed }), 'authorizer')).toEqual({
      tenant: 'acme',
      principal: 'https://login.example.com#user-1',
    });
  });

  it('an issuer that does not answer refuses nobody: it is an error of its own, and is logged as one', async () => {
    const down = new TokenIssuer(key);
    down.down = true;
    const { log, authorize } = world({}, down);
    await expect(authorize(await bearer(key))).rejects.toThrow('the issuer’s keys are not to be had');
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('nothing of a token is logged, and no claim of it', async () => {
    const token = await bearer(key, { ...CLAIMS, aud: 'secret-audience', sub: 'secret-subject' });
    const { log, authorize } = world();
    const error = await authorize(token).catch((caught: unknown) => caught);
    await authorize(`Bearer ${'secret-'.repeat(5)}.b.c`).catch(() => {});
    const told = JSON.stringify(log.lines) + String((error as Error).stack);
    expect(log.lines.map(({ fields }) => Object.keys(fields))).toEqual([
      ['requestId', 'reason'],
      ['requestId', 'reason'],
    ]);
    for (const part of ['secret-', ...token.split(/[. ]/).slice(1)]) expect(told).not.toContain(part);
  });

  it.each(['arn:aws:execute-api:eu-west-1:111122223333:abc123/*/GET/x', 'arn:aws:s3:::bucket/key', ''])(
    'an event of the method %j lets nobody in',
    async (arn) => {
      await expect(world().authorize(await bearer(key), arn)).rejects.toThrow('the event names no method of a stage');
    },
  );
});
