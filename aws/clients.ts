/**
 * The AWS clients as this project wants them: short time limits and few tries, because behind every call stands a
 * caller, a queue or a sweeper that tries again. Made once per process.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';

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
  return withOneSigner(new DynamoDBClient({ ...LIMITS, ...settings }));
}

export function sqsClient(settings: ClientSettings = {}): SQSClient {
  return withOneSigner(new SQSClient({ ...LIMITS, ...settings }));
}

export function schedulerClient(settings: ClientSettings = {}): SchedulerClient {
  return withOneSigner(new SchedulerClient({ ...LIMITS, ...settings }));
}

interface Signing {
  readonly config: Pick<DynamoDBClient['config'], 'signer'>;
}

/**
 * Otherwise the SDK makes a signer for every call, out of a copy of the client's whole configuration
 * (docs/decisions/0029-one-signer-for-each-client.md). One that could not be made is not kept.
 */
function withOneSigner<Client extends Signing>(client: Client): Client {
  const { config } = client;
  const make = config.signer;
  let made: ReturnType<typeof make> | undefined;
  config.signer = (authScheme) => {
    made ??= make(authScheme).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return client;
}
