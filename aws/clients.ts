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
  return new DynamoDBClient({ ...LIMITS, ...settings });
}

export function sqsClient(settings: ClientSettings = {}): SQSClient {
  return new SQSClient({ ...LIMITS, ...settings });
}

export function schedulerClient(settings: ClientSettings = {}): SchedulerClient {
  return new SchedulerClient({ ...LIMITS, ...settings });
}
