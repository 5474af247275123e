/**
 * A `fetch` that signs requests with AWS Signature Version 4, for agents that know their callers by IAM. Credentials are
 * read for each request. Bodies are strings, as the A2A client sends them: nothing here streams.
 */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface SigningOptions {
  readonly region: string;
  /** The service that checks the signature; default: API Gateway. */
  readonly service?: string;
  readonly credentials: () => Credentials;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export function signedFetch({ region, service = 'execute-api', credentials }: SigningOptions): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const { body, method = 'GET' } = init ?? {};
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('only requests with text can be signed');
    }
    const signer = new SignatureV4({ region, service, credentials: credentials(), sha256: Sha256 });
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...Object.fromEntries(new Headers(init?.headers)), host: url.host },
      ...(typeof body === 'string' ? { body } : {}),
    });
    const { host: _host, ...headers } = signed.headers;
    return fetch(url, { ...init, headers });
  };
}

/** From the variables that a Lambda environment has. Throws when they are missing. */
export function lambdaCredentials(env: Readonly<Record<string, string | undefined>>): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error('there are no AWS credentials to sign with');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
}

type Data = string | ArrayBuffer | ArrayBufferView;

/** The hash in the form that the signer wants. */
class Sha256 {
  #hash;
  readonly #secret: Buffer | undefined;

  constructor(secret?: Data) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret);
    this.#hash = this.#fresh();
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh() {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(data: Data): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
