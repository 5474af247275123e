/** Where the secret key comes from: Secrets Manager on AWS, the environment where there is none (design 10). */
import { describe, expect, it } from 'vitest';
import type { SecretPlace } from '../../aws/secret-value.ts';
import { RetryableError } from '../../core/errors.ts';
import { readKey } from '../../functions/key-settings.ts';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:key-AbCdEf';
const LAMBDA = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  ASKBACK_SECRET_KEY_SECRET: SECRET,
};
/** 43 letters and digits, as the deployment makes them. */
const TEXT = 'Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Kx0Z';

function settings(env: Record<string, string>, ...answers: readonly (string | Error)[]) {
  const problems: string[] = [];
  const asked: SecretPlace[] = [];
  const key = readKey(env, problems, async (place) => {
    const answer = answers[asked.length] ?? answers.at(-1) ?? TEXT;
    asked.push(place);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const bytes = async () => (typeof key === 'function' ? key() : key);
  return { key, bytes, problems, asked };
}

describe('the secret key', () => {
  it('is read from Secrets Manager at its first use and once only, with the credentials of the function', async () => {
    const { bytes, problems, asked } = settings(LAMBDA);
    expect([problems, asked]).toEqual([[], []]);
    const [one, two] = await Promise.all([bytes(), bytes()]);
    expect(one).toEqual(Buffer.from(TEXT, 'base64'));
    expect(one?.length).toBe(32);
    expect([two, await bytes()]).toEqual([one, one]);
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
    expect(asked).toEqual([{ id: SECRET, region: 'eu-west-1', credentials, endpoint: undefined }]);
  });

  it('is asked for again after a failure, which is to be tried again whatever it was', async () => {
    const denied = new Error('Secrets Manager gave no text for the secret: AccessDeniedException');
    const { bytes, asked } = settings(LAMBDA, denied, 'c2hvcnQ=', TEXT);
    for (const message of ['AccessDeniedException', 'not the base64 of 32 bytes']) {
      const error = await bytes().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RetryableError);
      expect(String((error as RetryableError).cause)).toContain(message);
    }
    expect((await bytes())?.length).toBe(32);
    expect(asked.length).toBe(3);
  });

  it('without credentials of a function is a failure of the same kind', async () => {
    const { bytes } = settings({ ASKBACK_SECRET_KEY_SECRET: SECRET });
    await expect(bytes()).rejects.toMatchObject({ name: 'RetryableError', message: 'the secret key cannot be read' });
  });

  it('is the setting itself where there is no AWS', () => {
    const { key, problems } = settings({ ASKBACK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') });
    expect([key, problems]).toEqual([Buffer.alloc(32, 7), []]);
    expect(settings({}).key).toBeUndefined();
  });

  it.each([
    [{ ASKBACK_SECRET_KEY: 'c2hvcnQ=' }, 'ASKBACK_SECRET_KEY is not the base64 of 32 bytes'],
    [{ ASKBACK_SECRET_KEY_SECRET: 'a key!' }, 'ASKBACK_SECRET_KEY_SECRET is not the name or ARN of a secret'],
    [
      { ASKBACK_SECRET_KEY_SECRET: SECRET, ASKBACK_SECRET_KEY: TEXT },
      'ASKBACK_SECRET_KEY and ASKBACK_SECRET_KEY_SECRET exclude each other',
    ],
  ])('%j is refused at start', (env, problem) => {
    expect(settings(env).problems).toEqual([problem]);
  });
});
