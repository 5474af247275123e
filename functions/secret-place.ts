/** Where a secret of this deployment is read, with the credentials that a function has in its environment. */
import type { SecretPlace } from '../aws/secret-value.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SECRET_ID = /^[\w/+=.@:-]{1,2048}$/;

export function isSecretId(text: string): boolean {
  return SECRET_ID.test(text);
}

/**
 * Looked up when it is asked for: credentials of a function are renewed with its environment only.
 * @param what for the message, as in 'the card key'
 * @throws Error when there are no credentials
 */
export function secretPlace(id: string, what: string, env: Environment): SecretPlace {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!region || !accessKeyId || !secretAccessKey) {
    throw new Error(`there are no AWS credentials to read ${what} with`);
  }
  return {
    id,
    region,
    credentials: { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN },
    // As the SDK has them.
    endpoint: env.AWS_ENDPOINT_URL_SECRETS_MANAGER || env.AWS_ENDPOINT_URL || undefined,
  };
}
