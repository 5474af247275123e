/**
 * Reads one secret from AWS Secrets Manager, by the one request that takes, signed with Signature Version 4: the SDK's
 * client for it would add a tenth to the api function, which needs it for one value in its life, if at all.
 */
import { createHash, createHmac } from 'node:crypto';
import { RetryableError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';

export interface SecretPlace {
  /** Name or ARN. */
  readonly id: string;
  /** Of who asks; a secret that is named by its ARN is asked for where that says. */
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
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
  const { url, init } = secretRequest(place, now());
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

/** Signed as AWS documents it ("Create a signed AWS API request"); of a POST to `/` without a query. */
export function secretRequest(
  { id, region, credentials, endpoint }: SecretPlace,
  nowMs: number,
): { readonly url: string; readonly init: { method: string; headers: Record<string, string>; body: string } } {
  const place = ARN_REGION.exec(id)?.[1] ?? region;
  const url = new URL(
    endpoint ?? `https://secretsmanager.${place}.${place.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  );
  const body = JSON.stringify({ SecretId: id });
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const headers: Record<string, string> = {
    'content-type': CONTENT_TYPE,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    'x-amz-target': TARGET,
  };
  const signed = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['POST', '/', '', lines.join(''), signed, sha256(body)].join('\n');
  const scope = [time.slice(0, 8), place, 'secretsmanager', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>((previous, part) => hmac(previous, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${signed}, Signature=${signature}`;
  return { url: url.href, init: { method: 'POST', headers: { ...headers, authorization }, body } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
