/**
 * The AWS clients as this project wants them: short time limits and few tries, because behind every call stands a
 * caller, a queue or a sweeper that tries again. Made once per process.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface ClientSettings {
  /** Absent: what the environment says. */
  readonly region?: string;
  /** Another server than AWS: dynalite, an emulator. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** `throwOnRequestTimeout`: otherwise the SDK only warns and goes on waiting. */
const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

export function dynamoClient(settings: ClientSettings = {}): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ ...LIMITS, ...settings }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export function sqsClient(settings: ClientSettings = {}): SQSClient {
  return new SQSClient({ ...LIMITS, ...settings });
}

export function schedulerClient(settings: ClientSettings = {}): SchedulerClient {
  return new SchedulerClient({ ...LIMITS, ...settings });
}
