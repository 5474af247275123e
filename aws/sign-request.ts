/**
 * Signature Version 4 for one request, by the signer of the AWS SDK. Bodies are there as a whole: nothing here streams.
 * Not for S3, which wants paths signed as they are and a checksum beside them.
 */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that end, as roles have them. */
  readonly sessionToken?: string | undefined;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in small letters; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface SigningScope {
  readonly region: string;
  /** As signatures name it: `execute-api` is API Gateway. */
  readonly service: string;
}

/** The headers to send: those given, the host, the time, a session token where there is one, and the signature. */
export async function signedHeaders(
  { method, url, headers, body }: UnsignedRequest,
  { region, service }: SigningScope,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  nowMs: number,
): Promise<Record<string, string>> {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const signer = new SignatureV4({ region, service, credentials, sha256: Sha256, applyChecksum: false });
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: queryOf(url),
    headers: { ...headers, host: url.host },
    ...(body === undefined ? {} : { body }),
  };
  return (await signer.sign(request, { signingDate: new Date(nowMs) })).headers;
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  return Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
}

type Data = string | ArrayBuffer | ArrayBufferView;
/** What it hashes in fact: no bare `ArrayBuffer`. */
type Hashed = string | NodeJS.ArrayBufferView;

/** Node's hash in the form that the signer wants. */
class Sha256 {
  readonly #hash;

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Hashed);
  }

  update(data: Hashed): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}
