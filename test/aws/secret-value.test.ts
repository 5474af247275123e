/** One request to Secrets Manager; the signatures here were computed by hand from AWS's published steps. */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import { readSecret, type SecretPlace, secretRequest } from '../../aws/secret-value.ts';

const PLACE: SecretPlace = {
  id: 'askback/card-key',
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
};
const NOW = Date.UTC(2026, 10, 30, 10, 0, 0, 123);
const withSession = { ...PLACE, credentials: { ...PLACE.credentials, sessionToken: 'session/token==' } };

describe('the request', () => {
  it('is a GetSecretValue, signed for that service and Region', async () => {
    expect(await secretRequest(PLACE, NOW)).toEqual({
      url: 'https://secretsmanager.eu-west-1.amazonaws.com/',
      init: {
        method: 'POST',
        body: '{"SecretId":"askback/card-key"}',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-date': '20261130T100000Z',
          'x-amz-target': 'secretsmanager.GetSecretValue',
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/eu-west-1/secretsmanager/aws4_request, ' +
            'SignedHeaders=content-type;host;x-amz-date;x-amz-target, ' +
            'Signature=b69c77f27b00742a4fe77bb211c2eb1bed87ea39b5fbc9489a2acbea8b1f7e30',
        },
      },
    });
  });

  it('of a function has its session token, signed as well', async () => {
    const { headers } = (await secretRequest(withSession, NOW)).init;
    expect(headers['x-amz-security-token']).toBe('session/token==');
    expect(headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/eu-west-1/secretsmanager/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, ' +
        'Signature=4c5f45babe69245edf497ac469078b90df268609183d22c9e032de762dbd4998',
    );
  });

  it.each([
    [
      'the Region of an ARN',
      { id: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:k-AbCdEf' },
      'https://secretsmanager.us-east-1.amazonaws.com/',
    ],
    ['China', { region: 'cn-north-1' }, 'https://secretsmanager.cn-north-1.amazonaws.com.cn/'],
    ['an emulator', { endpoint: 'http://127.0.0.1:4566' }, 'http://127.0.0.1:4566/'],
  ])('goes to %s', async (_where, place, url) => {
    expect((await secretRequest({ ...PLACE, ...place }, NOW)).url).toBe(url);
  });
});

describe('the answer', () => {
  const answering = (status: number, body: unknown) => async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  const read = (get: typeof fetch) => readSecret(PLACE, { now: () => NOW, get });

  it('is the text of the secret', async () => {
    expect(await read(answering(200, { SecretString: '{"kty":"OKP"}' }))).toBe('{"kty":"OKP"}');
  });

  it.each([
    [
      400,
      { __type: 'com.amazonaws.secretsmanager#ResourceNotFoundException', Message: 'private' },
      'ResourceNotFoundException',
    ],
    [400, { __type: 'AccessDeniedException' }, 'AccessDeniedException'],
    [403, 'no JSON', 'status 403'],
    [200, { SecretBinary: 'AAAA' }, 'status 200'],
  ])('%i %j is an error with its code and no more', async (status, body, code) => {
    const error = await read(answering(status, body)).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error(`Secrets Manager gave no text for the secret: ${code}`));
  });

  it.each([
    ['throttled', answering(400, { __type: 'ThrottlingException' }), 'Secrets Manager answered ThrottlingException'],
    ['500', answering(500, {}), 'Secrets Manager answered status 500'],
    ['no connection', () => Promise.reject(new TypeError('fetch failed')), 'Secrets Manager did not answer'],
  ])('%s: to be tried again', async (_what, get, message) => {
    const error = await read(get).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryableError);
    expect((error as Error).message).toBe(message);
  });
});
