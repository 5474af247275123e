/**
 * The key for `writeOnly` answers, credentials and codes, as the deployment says it (lib/secret-key.ts): a secret of
 * Secrets Manager that holds it, or, where there is no AWS, the key itself. wiring.ts passes the environment in.
 */
import type { SecretKey } from '../aws/secret-key.ts';
import { readSecret, type SecretPlace } from '../aws/secret-value.ts';
import { RetryableError } from '../core/errors.ts';
import { readOnce } from './read-once.ts';
import { isSecretId, secretPlace } from './secret-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const KEY_BYTES = 32;

/**
 * Undefined: there is none, so secrets are neither kept nor read, and nobody can call back. What is wrong is added to
 * `problems`, without any value.
 * @param read default: asks Secrets Manager with the credentials of the function, at the first use of the key
 */
export function readKey(
  env: Environment,
  problems: string[],
  read: (place: SecretPlace) => Promise<string> = readSecret,
): SecretKey | undefined {
  const [text, secret] = [env.ASKBACK_SECRET_KEY?.trim(), env.ASKBACK_SECRET_KEY_SECRET?.trim()];
  if (text && secret) problems.push('ASKBACK_SECRET_KEY and ASKBACK_SECRET_KEY_SECRET exclude each other');
  if (secret) {
    if (!isSecretId(secret)) problems.push('ASKBACK_SECRET_KEY_SECRET is not the name or ARN of a secret');
    return readOnce(() => keyIn(() => read(secretPlace(secret, 'the secret key', env))));
  }
  if (!text) return undefined;
  const key = keyBytes(text);
  if (key === undefined) problems.push('ASKBACK_SECRET_KEY is not the base64 of 32 bytes');
  return key;
}

/**
 * @throws RetryableError whatever is wrong, a right that is missing included: that is for whoever deploys to mend, and no
 * task may fail for it, nor a receiver be given up
 */
async function keyIn(read: () => Promise<string>): Promise<Uint8Array> {
  try {
    const key = keyBytes(await read());
    if (key === undefined) throw new Error('the secret of ASKBACK_SECRET_KEY_SECRET is not the base64 of 32 bytes');
    return key;
  } catch (cause) {
    if (cause instanceof RetryableError) throw cause;
    throw new RetryableError('STORE_UNAVAILABLE', 'the secret key cannot be read', { cause });
  }
}

/** Undefined: not 32 bytes. */
function keyBytes(base64: string): Uint8Array | undefined {
  const key = Buffer.from(base64.trim(), 'base64');
  return key.length === KEY_BYTES ? key : undefined;
}
