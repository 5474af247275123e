/**
 * The AWS clients as this project wants them: short time limits and few tries, because behind every call stands a
 * caller, a queue or a sweeper that tries again. Made once per process.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4, type SignatureV4CryptoInit, type SignatureV4Init } from '@smithy/signature-v4';

export interface ClientSettings {
  /** Absent: what the environment says. */
  readonly region?: string;
  /** Another server than AWS: dynalite, an emulator. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * `throwOnRequestTimeout`: otherwise the SDK only warns and goes on waiting.
 * `cacheMiddleware`: otherwise the SDK puts its eleven middlewares in order anew for each call. Middleware that is
 * added later reaches only commands that the client has not sent yet.
 */
const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  cacheMiddleware: true,
};

/** Without the document client on top, which refuses cached middleware: aws/item.ts turns items into typed ones. */
export function dynamoClient(settings: ClientSettings = {}): DynamoDBClient {
  const signer = oneSigner('dynamodb', () => client.config);
  const client = new DynamoDBClient({ ...LIMITS, ...settings, signer });
  return client;
}

export function sqsClient(settings: ClientSettings = {}): SQSClient {
  const signer = oneSigner('sqs', () => client.config);
  const client = new SQSClient({ ...LIMITS, ...settings, signer });
  return client;
}

export function schedulerClient(settings: ClientSettings = {}): SchedulerClient {
  const signer = oneSigner('scheduler', () => client.config);
  const client = new SchedulerClient({ ...LIMITS, ...settings, signer });
  return client;
}

type Signing = Pick<SignatureV4Init & SignatureV4CryptoInit, 'credentials' | 'region' | 'sha256'>;

/**
 * Otherwise the SDK makes a signer for every call, of a copy of the client's whole configuration
 * (docs/decisions/0029-one-signer-for-each-client.md). It asks for the credentials at each signature, so that those
 * which end are renewed.
 */
function oneSigner(service: string, configOf: () => Signing): () => Promise<SignatureV4> {
  let signer: SignatureV4 | undefined;
  return async () => {
    if (signer) return signer;
    const { credentials, region, sha256 } = configOf();
    signer = new SignatureV4({ service, credentials, region, sha256 });
    return signer;
  };
}
