/**
 * Reads one secret from AWS Secrets Manager, by the one request that takes: the SDK's client for it would add a tenth to
 * the api function, which needs it for one value in its life, if at all. The signer is in there already, for DynamoDB.
 */
import { RetryableError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { type AwsCredentials, signedHeaders } from './sign-request.ts';

export interface SecretPlace {
  /** Name or ARN. */
  readonly id: string;
  /** Of who asks; a secret that is named by its ARN is asked for where that says. */
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** Another server than AWS: an emulator. */
  readonly endpoint?: string | undefined;
}

export interface SecretOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly get?: typeof fetch;
}

const TIMEOUT_MS = 3_000;
const TARGET = 'secretsmanager.GetSecretValue';
const CONTENT_TYPE = 'application/x-amz-json-1.1';
const ARN_REGION = /^arn:[\w-]+:secretsmanager:([\w-]+):/;

/**
 * The text of the secret's current version.
 * @throws RetryableError when the service does not answer or throttles; Error with its error code when it refuses
 */
export async function readSecret(
  place: SecretPlace,
  { now = Date.now, get = fetch }: SecretOptions = {},
): Promise<string> {
  const { url, init } = await secretRequest(place, now());
  const response = await get(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw unavailable('did not answer', cause);
    },
  );
  const answer: unknown = await response.json().catch(() => undefined);
  const { SecretString: text, __type: type } = isJsonObject(answer) ? answer : {};
  if (response.status === 200 && typeof text === 'string') return text;
  const code = typeof type === 'string' ? type.replace(/^.*#/, '').slice(0, 100) : `status ${response.status}`;
  if (response.status >= 500 || response.status === 429 || /Throttl/.test(code)) throw unavailable(`answered ${code}`);
  throw new Error(`Secrets Manager gave no text for the secret: ${code}`);
}

function unavailable(what: string, cause?: unknown): RetryableError {
  return new RetryableError('STORE_UNAVAILABLE', `Secrets Manager ${what}`, cause === undefined ? {} : { cause });
}

/** Of a POST to `/`. Its host is left to whoever sends it. */
export async function secretRequest(
  { id, region, credentials, endpoint }: SecretPlace,
  nowMs: number,
): Promise<{ readonly url: string; readonly init: { method: string; headers: Record<string, string>; body: string } }> {
  const place = ARN_REGION.exec(id)?.[1] ?? region;
  const url = new URL(
    endpoint ?? `https://secretsmanager.${place}.${place.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  );
  const method = 'POST';
  const body = JSON.stringify({ SecretId: id });
  const unsigned = { 'content-type': CONTENT_TYPE, 'x-amz-target': TARGET };
  const scope = { region: place, service: 'secretsmanager' };
  const { host: _host, ...headers } = await signedHeaders(
    { method, url, headers: unsigned, body },
    scope,
    credentials,
    nowMs,
  );
  return { url: url.href, init: { method, headers, body } };
}
