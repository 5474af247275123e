/** Keys of an issuer are fetched once, again when they are old or one is missed, and never faster than the cooldown. */
import { errors, type FlattenedJWSInput } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { httpsJson } from '../../functions/fetch-json.ts';
import { issuerKeys, KeysUnavailable } from '../../functions/issuer-keys.ts';
import { ISSUER, type IssuerKey, makeKey, NOW_MS, TokenIssuer } from './token-issuer.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

const NO_TOKEN: FlattenedJWSInput = { payload: '', signature: '' };

let first: IssuerKey;
let second: IssuerKey;

beforeAll(async () => {
  first = await makeKey('key-1');
  second = await makeKey('key-2');
});

function world(...keys: IssuerKey[]) {
  const issuer = new TokenIssuer(...keys);
  const time = { now: NOW_MS };
  const find = issuerKeys({ issuer: ISSUER, fetchJson: issuer.fetchJson, now: () => time.now });
  const look = (kid: string) => find({ alg: 'ES256', kid }, NO_TOKEN);
  return { issuer, time, look };
}

describe('keys of an issuer', () => {
  it('are found by discovery, and kept', async () => {
    const { issuer, look } = world(first);
    for (const _ of [1, 2, 3]) await look('key-1');
    expect(issuer.asked).toEqual([
      'https://login.example.com/.well-known/openid-configuration',
      'https://keys.example.com/jwks',
    ]);
  });

  it('are fetched once for callers who come at once', async () => {
    const { issuer, look } = world(first);
    await Promise.all([look('key-1'), look('key-1'), look('key-1')]);
    expect(issuer.fetches).toBe(1);
  });

  it('that are new are found at once, when the last look is longer ago than the cooldown', async () => {
    const { issuer, time, look } = world(first);
    await look('key-1');
    issuer.keys = [second];
    time.now += 30 * SECOND;
    await expect(look('key-2')).resolves.toBeDefined();
    expect(issuer.fetches).toBe(2);
    await expect(look('key-1')).rejects.toThrow(errors.JWKSNoMatchingKey);
  });

  it('that nobody has are looked for once in a cooldown, however many are asked for', async () => {
    const { issuer, time, look } = world(first);
    await look('key-1');
    const missing = async (kid: string) => expect(look(kid)).rejects.toThrow(errors.JWKSNoMatchingKey);
    time.now += 29 * SECOND;
    for (const kid of ['a', 'b', 'c']) await missing(kid);
    expect(issuer.fetches).toBe(1);
    time.now += 2 * SECOND;
    for (const kid of ['a', 'b', 'c']) await missing(kid);
    expect(issuer.fetches).toBe(2);
    await look('key-1');
  });

  it('are fetched again after ten minutes, so that one that was withdrawn goes', async () => {
    const { issuer, time, look } = world(first, second);
    await look('key-1');
    issuer.keys = [second];
    time.now += 10 * MINUTE - 1;
    await look('key-1');
    time.now += 1;
    await expect(look('key-1')).rejects.toThrow(errors.JWKSNoMatchingKey);
  });

  it('are good for an hour when the issuer does not answer, and then no more', async () => {
    const { issuer, time, look } = world(first);
    await look('key-1');
    issuer.down = true;
    time.now += 59 * MINUTE;
    await look('key-1');
    time.now += MINUTE;
    await expect(look('key-1')).rejects.toThrow(KeysUnavailable);
    issuer.down = false;
    time.now += 5 * SECOND;
    await look('key-1');
  });

  it('that could not be had are not asked for again within five seconds', async () => {
    const { issuer, time, look } = world(first);
    issuer.down = true;
    await expect(look('key-1')).rejects.toThrow(KeysUnavailable);
    issuer.down = false;
    time.now += 4 * SECOND;
    await expect(look('key-1')).rejects.toThrow(KeysUnavailable);
    expect(issuer.asked).toHaveLength(1);
    time.now += SECOND;
    await look('key-1');
  });

  it.each<[string, Record<string, Json>]>([
    ['another issuer', { issuer: 'https://evil.example.com', jwks_uri: 'https://keys.example.com/jwks' }],
    ['keys without https', { issuer: ISSUER, jwks_uri: 'http://keys.example.com/jwks' }],
    ['no keys', { issuer: ISSUER }],
  ])('are not taken from metadata of %s', async (_what, metadata) => {
    const { issuer, look } = world(first);
    issuer.metadata = metadata;
    await expect(look('key-1')).rejects.toThrow(KeysUnavailable);
    expect(issuer.fetches).toBe(0);
  });

  it('are a set of keys, or nothing', async () => {
    const fetchJson = async (url: string) =>
      url.endsWith('/jwks') ? { keys: 'none' } : { issuer: ISSUER, jwks_uri: 'https://keys.example.com/jwks' };
    const find = issuerKeys({ issuer: ISSUER, fetchJson, now: () => NOW_MS });
    await expect(find({ alg: 'ES256', kid: 'key-1' }, NO_TOKEN)).rejects.toThrow(KeysUnavailable);
  });
});

describe('fetching JSON', () => {
  const answering = (...answer: ConstructorParameters<typeof Response>) => {
    const asked: [string, RequestInit | undefined][] = [];
    const json = httpsJson(async (url, init) => {
      asked.push([String(url), init]);
      return new Response(...answer);
    });
    return { asked, json };
  };

  it('asks for JSON, follows no redirect and waits for a limited time', async () => {
    const { asked, json } = answering('{"a":1}');
    expect(await json('https://a.example.com/x')).toEqual({ a: 1 });
    expect(asked[0]).toEqual([
      'https://a.example.com/x',
      { redirect: 'error', signal: expect.any(AbortSignal), headers: { accept: 'application/json' } },
    ]);
  });

  it('asks nobody without https', async () => {
    const { asked, json } = answering('{}');
    await expect(json('http://a.example.com/x')).rejects.toThrow('only https');
    expect(asked).toEqual([]);
  });

  it.each([
    ['an error', '{}', 404, 'the issuer answered 404'],
    ['no JSON', '<html>', 200, 'JSON'],
    ['a list', '[]', 200, 'no JSON object'],
    ['more than 512 KB', `{"a":"${'x'.repeat(512 * 1024)}"}`, 200, 'more than 524288 bytes'],
  ])('throws at %s', async (_what, body, status, message) => {
    await expect(answering(body, { status }).json('https://a.example.com/')).rejects.toThrow(message);
  });
});
