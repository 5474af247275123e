/** Where the key of the agent card comes from. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SecretPlace } from '../../aws/secret-value.ts';
import { readCardSigner } from '../../functions/card-settings.ts';

const jwk = JSON.stringify({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'key-1' });
const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:card-key-AbCdEf';
const LAMBDA = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
};

function settings(env: Record<string, string>) {
  const problems: string[] = [];
  const asked: SecretPlace[] = [];
  const signer = readCardSigner(env, problems, async (place) => {
    asked.push(place);
    return jwk;
  });
  return { signer, problems, asked };
}

describe('the key of the agent card', () => {
  it('is a secret, read with the credentials of the function at the first card and not before', async () => {
    const { signer, problems, asked } = settings({ ...LAMBDA, ASKBACK_CARD_KEY_SECRET: SECRET });
    expect([problems, asked]).toEqual([[], []]);
    await signer?.sign('{}');
    await signer?.sign('{}');
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
    expect(asked).toEqual([{ id: SECRET, region: 'eu-west-1', credentials, endpoint: undefined }]);
  });

  it.each([
    [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }, 'http://127.0.0.1:4566'],
    [{ AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://b' }, 'http://b'],
  ])('is asked of another server where the SDK would ask it: %j', async (env, endpoint) => {
    const { signer, asked } = settings({ ...LAMBDA, ASKBACK_CARD_KEY_SECRET: 'card-key', ...env });
    await signer?.sign('{}');
    expect(asked[0]?.endpoint).toBe(endpoint);
  });

  it('gives no card, and says why, where there are no credentials', async () => {
    const { signer } = settings({ ASKBACK_CARD_KEY_SECRET: SECRET });
    await expect(signer?.sign('{}')).rejects.toThrow('there are no AWS credentials to read the card key with');
  });

  it('is here or in a secret, not both; without either no card is signed', () => {
    expect(settings({}).signer).toBeUndefined();
    expect(settings({ ASKBACK_CARD_KEY: jwk }).signer).toBeDefined();
    expect(settings({ ASKBACK_CARD_KEY: jwk, ASKBACK_CARD_KEY_SECRET: SECRET }).problems).toEqual([
      'ASKBACK_CARD_KEY and ASKBACK_CARD_KEY_SECRET exclude each other',
    ]);
  });
});
