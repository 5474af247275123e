/**
 * `askback/aws`: a `fetch` that signs requests with AWS Signature Version 4, for callers of agents that know theirs by
 * IAM. It goes wherever a `fetch` can be given: `connect` of `askback/client`, `remoteAgent` of `askback/agent`.
 */
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { type AwsCredentials, signedHeaders } from './sign-request.ts';

export type { AwsCredentials } from './sign-request.ts';

export interface SignedFetchOptions {
  /** Where the agent is deployed, as in `eu-west-1`. */
  readonly region: string;
  /** The service that checks the signature. Default `execute-api`, API Gateway; `lambda` for the URL of a function. */
  readonly service?: string;
  /**
   * A function is called for each request, because credentials of roles end; the providers of the AWS SDK are such
   * functions. Default: the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which every
   * Lambda function has.
   */
  readonly credentials?: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>);
  /**
   * Addresses whose origins are signed for; requests to others go as they are. Give the agent's own: its card may name
   * any address, and with a signature a request has your rights there. Default: all are signed.
   */
  readonly origins?: readonly string[];
  /** Sends what has been signed. Default: the global one. */
  readonly fetch?: typeof fetch;
  /** The time of signatures, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Signed requests follow no redirect: a signature is good for one address. What the function that is returned throws:
 * whatever `fetch` throws, and an error that names the credentials when there are none.
 * @throws TypeError when an origin is no address
 */
export function awsSignedFetch(options: SignedFetchOptions): typeof fetch {
  const { region, service = 'execute-api', credentials = fromEnv(), now = Date.now } = options;
  const origins = options.origins && new Set(options.origins.map((address) => new URL(address).origin));
  return async (input, init) => {
    const send = options.fetch ?? fetch;
    const url = new URL(input instanceof Request ? input.url : input);
    if (origins && !origins.has(url.origin)) return send(input, init);
    const request = new Request(input, init);
    // A blank may be written as + in a query, but not in what is signed.
    url.search = url.search.replaceAll('+', '%20');
    const { method, signal } = request;
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const { host: _host, ...headers } = await signedHeaders(
      { method, url, headers: Object.fromEntries(request.headers), body },
      { region, service },
      typeof credentials === 'function' ? await credentials() : credentials,
      now(),
    );
    return send(url, { ...init, method, headers, signal, redirect: 'error', ...(body === undefined ? {} : { body }) });
  };
}
