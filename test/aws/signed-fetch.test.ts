/**
 * Requests signed with Signature Version 4. Credentials, time and the signatures in the first table are those of the test
 * suite and of the worked example that AWS publishes; they are written out here and computed nowhere.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { awsSignedFetch, type SignedFetchOptions } from '../../aws/signed-fetch.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const NOW = Date.UTC(2015, 7, 30, 12, 36, 0);
const AGENT = 'https://abc.execute-api.eu-west-1.amazonaws.com/a2a';

interface Seen extends RequestInit {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** What leaves, and nothing goes anywhere. */
function catching(options: Partial<SignedFetchOptions> = {}) {
  const seen: Seen[] = [];
  const signed = awsSignedFetch({
    region: 'eu-west-1',
    credentials: CREDENTIALS,
    now: () => NOW,
    fetch: async (input, init) => {
      seen.push({ url: String(input), ...init, headers: init?.headers as Record<string, string> });
      return new Response('{}');
    },
    ...options,
  });
  return { seen, signed };
}

describe('the signature', () => {
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
  it.each<[string, string, RequestInit, string, string]>([
    ['get-vanilla', '/', {}, 'host;x-amz-date', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      '/?Param2=value2&Param1=value1',
      {},
      'host;x-amz-date',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-vanilla',
      '/',
      { method: 'POST' },
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      '/',
      { method: 'POST', headers: FORM, body: 'Param1=value1' },
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('is that of AWS for %s', async (_name, path, init, names, signature) => {
    const { seen, signed } = catching({ region: 'us-east-1', service: 'service' });
    await signed(`https://example.amazonaws.com${path}`, init);
    expect(seen[0]?.headers).toMatchObject({
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=${names}, Signature=${signature}`,
    });
  });

  it('is that of AWS for the listing of users that its guide works out', async () => {
    const { seen, signed } = catching({ region: 'us-east-1', service: 'iam' });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    await signed('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08', { headers });
    expect(seen[0]?.headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  // By a program of its own, in another language, from the steps that AWS describes.
  it.each<[string, string, RequestInit, Partial<SignedFetchOptions>, string]>([
    [
      'JSON-RPC, with the session of a role',
      AGENT,
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"a":"ü"}' },
      { credentials: { ...CREDENTIALS, sessionToken: 'session/token==' } },
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=329f6fbe1a71a0884210eadca1e80892753211c392481201172280ad4301547c',
    ],
    [
      'HTTP+JSON, with a path that is encoded and a name that comes twice',
      `${AGENT}/tasks/a%2Fb:subscribe?q=a+b&q=c`,
      {},
      {},
      'SignedHeaders=host;x-amz-date, Signature=63f41b116885aaab7803bb921916a5e050e9c7055f659dfb1fe23037400961d1',
    ],
  ])('is right for %s', async (_what, address, init, options, authorization) => {
    const { seen, signed } = catching(options);
    await signed(address, init);
    expect(seen[0]?.headers.authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/execute-api/aws4_request, ${authorization}`,
    );
  });
});

describe('what is sent', () => {
  it('is what was given, with the signature, and follows no redirect', async () => {
    const { seen, signed } = catching();
    const { signal } = new AbortController();
    await signed(AGENT, { method: 'POST', headers: { 'X-One': '1' }, body: '{"a":1}', redirect: 'follow', signal });
    const [{ url, method, headers, body, redirect }] = seen as [Seen];
    expect([url, method, redirect]).toEqual([AGENT, 'POST', 'error']);
    expect(Buffer.from(body as Uint8Array).toString()).toBe('{"a":1}');
    expect(Object.keys(headers).sort()).toEqual(['authorization', 'content-type', 'x-amz-date', 'x-one']);
  });

  it('is aborted with the signal that was given', async () => {
    const { seen, signed } = catching();
    const controller = new AbortController();
    await signed(AGENT, { signal: controller.signal });
    await signed(new Request(AGENT, { signal: controller.signal }));
    controller.abort();
    expect(seen.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  });

  it.each<[string, NonNullable<RequestInit['body']>]>([
    ['bytes', new TextEncoder().encode('{"a":1}')],
    ['a blob', new Blob(['{"a":1}'])],
    ['a stream', new Response('{"a":1}').body as ReadableStream],
  ])('is signed whole where it came as %s', async (_what, body) => {
    const { seen, signed } = catching();
    await signed(AGENT, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(seen[0]?.headers.authorization).toContain(
      'SignedHeaders=host;x-amz-date, Signature=de0244baa713611dce85035f5a246e523ee08a88a213f7c40be1eced9f3341a6',
    );
    expect(Buffer.from(seen[0]?.body as Uint8Array).toString()).toBe('{"a":1}');
  });

  it('may be a Request', async () => {
    const { seen, signed } = catching();
    await signed(new Request(AGENT, { method: 'POST', body: new TextEncoder().encode('{"a":1}') }));
    const [{ url, method, headers }] = seen as [Seen];
    expect([url, method]).toEqual([AGENT, 'POST']);
    expect(headers.authorization).toContain(
      'Signature=de0244baa713611dce85035f5a246e523ee08a88a213f7c40be1eced9f3341a6',
    );
  });

  it('has a blank in its query written so that both sides sign the same', async () => {
    const { seen, signed } = catching();
    await signed(`${AGENT}/tasks?pageToken=a+b`);
    expect(seen[0]?.url).toBe(`${AGENT}/tasks?pageToken=a%20b`);
  });

  it('is not signed for an origin that was not named: an agent card may name any address', async () => {
    const { seen, signed } = catching({ origins: [AGENT] });
    const init = { method: 'POST', body: '{}' };
    await signed('https://other.execute-api.eu-west-1.amazonaws.com/a2a', init);
    await signed(`${AGENT}/tasks`, init);
    expect(seen.map(({ headers }) => headers?.authorization !== undefined)).toEqual([false, true]);
    expect(seen[0]).toMatchObject(init);
  });

  it('goes on untouched where it is not signed, a Request with its body as well', async () => {
    const sent: unknown[] = [];
    const { signed } = catching({
      origins: [AGENT],
      fetch: async (input) => {
        sent.push(input, await (input as Request).text());
        return new Response('{}');
      },
    });
    const request = new Request('https://other.example.com/', { method: 'POST', body: '{"a":1}' });
    await signed(request);
    expect(sent).toEqual([request, '{"a":1}']);
  });

  it('and an origin that is no address is refused at once', () => {
    expect(() => catching({ origins: ['abc.execute-api.eu-west-1.amazonaws.com'] })).toThrow(TypeError);
  });
});

describe('the credentials', () => {
  afterEach(() => vi.unstubAllEnvs());

  const keyOf = ({ headers }: Seen) => /Credential=([\w-]+)/.exec(headers.authorization ?? '')?.[1];

  it('are asked for at each request, since those of a role end', async () => {
    let asked = 0;
    const { seen, signed } = catching({
      credentials: async () => ({ ...CREDENTIALS, accessKeyId: `KEY-${++asked}` }),
    });
    await signed(AGENT);
    await signed(AGENT);
    expect(seen.map(keyOf)).toEqual(['KEY-1', 'KEY-2']);
  });

  it('are those of the environment by default; without any nothing is sent', async () => {
    const seen: Seen[] = [];
    const signed = awsSignedFetch({
      region: 'eu-west-1',
      fetch: async (input, init) => {
        seen.push({ url: String(input), ...init, headers: init?.headers as Record<string, string> });
        return new Response('{}');
      },
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'KEY-E');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's');
    vi.stubEnv('AWS_SESSION_TOKEN', 't');
    await signed(AGENT);
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    await expect(signed(AGENT)).rejects.toThrow('Unable to find environment variable credentials');
    expect(seen.map(keyOf)).toEqual(['KEY-E']);
    expect(seen[0]?.headers['x-amz-security-token']).toBe('t');
  });
});
