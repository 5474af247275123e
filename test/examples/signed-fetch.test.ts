/** Requests signed as AWS documents it: the signature against one computed by hand from the published steps. */
import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lambdaCredentials, signedFetch } from '../../examples/finance-assistant/signed-fetch.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

interface Seen {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

afterEach(() => vi.unstubAllGlobals());

function catching(): Seen[] {
  const seen: Seen[] = [];
  vi.stubGlobal('fetch', async (input: URL, init: RequestInit) => {
    seen.push({ url: String(input), headers: init.headers as Record<string, string>, body: init.body });
    return new Response('{}');
  });
  return seen;
}

describe('a signed fetch', () => {
  it('signs method, path, host and body for API Gateway', async () => {
    const seen = catching();
    const signed = signedFetch({
      region: 'eu-west-1',
      credentials: () => ({ ...CREDENTIALS, sessionToken: 'session' }),
    });
    await signed('https://abc.execute-api.eu-west-1.amazonaws.com/a2a', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    });
    const [{ headers, body }] = seen as [Seen];
    expect(body).toBe('{"a":1}');
    expect(headers['x-amz-security-token']).toBe('session');
    const [, names = '', signature = ''] =
      /SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '') ?? [];
    const time = headers['x-amz-date'] ?? '';
    const all: Record<string, string> = { ...headers, host: 'abc.execute-api.eu-west-1.amazonaws.com' };
    const canonical = [
      'POST',
      '/a2a',
      '',
      ...names.split(';').map((name) => `${name}:${all[name]}`),
      '',
      names,
      createHash('sha256').update('{"a":1}').digest('hex'),
    ].join('\n');
    const scope = `${time.slice(0, 8)}/eu-west-1/execute-api/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
    const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest();
    const key = ['eu-west-1', 'execute-api', 'aws4_request'].reduce(
      hmac,
      hmac(`AWS4${CREDENTIALS.secretAccessKey}`, time.slice(0, 8)),
    );
    expect(signature).toBe(hmac(key, text).toString('hex'));
    expect(names.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token']));
  });

  it('reads the credentials for each request, since they change while a function lives', async () => {
    const seen = catching();
    let read = 0;
    const signed = signedFetch({
      region: 'eu-west-1',
      credentials: () => ({ ...CREDENTIALS, accessKeyId: `KEY-${++read}` }),
    });
    await signed('https://x.example/');
    await signed('https://x.example/');
    expect(seen.map(({ headers }) => /Credential=(KEY-\d)/.exec(headers.authorization ?? '')?.[1])).toEqual([
      'KEY-1',
      'KEY-2',
    ]);
  });

  it('refuses a body that it could not sign', async () => {
    catching();
    const signed = signedFetch({ region: 'eu-west-1', credentials: () => CREDENTIALS });
    await expect(signed('https://x.example/', { method: 'POST', body: new Blob(['x']) })).rejects.toThrow(
      'only requests with text can be signed',
    );
  });

  it('finds the credentials of a Lambda environment, or says that there are none', () => {
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' };
    expect(lambdaCredentials(env)).toEqual({ accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' });
    expect(() => lambdaCredentials({})).toThrow('there are no AWS credentials');
  });
});
