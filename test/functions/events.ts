/** Events as AWS sends them, with the identifiers replaced, and a Lambda context. */
import type { APIGatewayProxyEvent, Context, SQSEvent, SQSRecord } from 'aws-lambda';

const NO_IDENTITY: APIGatewayProxyEvent['requestContext']['identity'] = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: '192.0.2.10',
  user: null,
  userAgent: 'node',
  userArn: null,
};

/** An assumed role that signed its request (SigV4). */
export const ROLE_IDENTITY = {
  ...NO_IDENTITY,
  accessKey: 'ASIAEXAMPLE',
  accountId: '111122223333',
  caller: 'AROAEXAMPLEROLE:finance-session-1',
  user: 'AROAEXAMPLEROLE:finance-session-1',
  userArn: 'arn:aws:sts::111122223333:assumed-role/FinanceAssistant/finance-session-1',
  principalOrgId: 'o-example',
};

export interface GatewayEventParts {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string[]>;
  readonly query?: Record<string, string[]>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly identity?: APIGatewayProxyEvent['requestContext']['identity'];
  readonly authorizer?: Record<string, unknown> | null;
}

const last = (all: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)]));

/** A REST API behind `/{proxy+}` on stage `prod` of the default domain; the caller signed with a role. */
export function gatewayEvent(parts: GatewayEventParts = {}): APIGatewayProxyEvent {
  const { method = 'POST', path = '/', query, body = null, isBase64Encoded = false } = parts;
  const headers = {
    Accept: ['application/json'],
    'Content-Type': ['application/json'],
    'A2A-Version': ['1.0'],
    Host: ['abc123.execute-api.eu-west-1.amazonaws.com'],
    'X-Forwarded-Proto': ['https'],
    ...parts.headers,
  };
  const resource = path === '/' ? '/' : '/{proxy+}';
  return {
    resource,
    path,
    httpMethod: method,
    headers: last(headers),
    multiValueHeaders: headers,
    queryStringParameters: query ? last(query) : null,
    multiValueQueryStringParameters: query ?? null,
    pathParameters: path === '/' ? null : { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      resourceId: 'res1',
      resourcePath: resource,
      httpMethod: method,
      extendedRequestId: 'ext1=',
      requestTime: '30/Nov/2026:10:00:00 +0000',
      path: path === '/' ? '/prod/' : `/prod${path}`,
      accountId: '999988887777',
      protocol: 'HTTP/1.1',
      stage: 'prod',
      domainPrefix: 'abc123',
      requestTimeEpoch: 1_796_032_800_000,
      requestId: 'gateway-request-1',
      identity: parts.identity ?? ROLE_IDENTITY,
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      apiId: 'abc123',
      authorizer: parts.authorizer ?? null,
    },
    body,
    isBase64Encoded,
  };
}

export const ANONYMOUS = NO_IDENTITY;

export function sqsRecord(messageId: string, body: string): SQSRecord {
  return {
    messageId,
    receiptHandle: `handle-${messageId}`,
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1796032800000',
      SenderId: 'AROAEXAMPLEAPI:askback-api',
      ApproximateFirstReceiveTimestamp: '1796032800010',
    },
    messageAttributes: {},
    md5OfBody: 'd41d8cd98f00b204e9800998ecf8427e',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:999988887777:askback-turns',
    awsRegion: 'eu-west-1',
  };
}

export function sqsEvent(...records: SQSRecord[]): SQSEvent {
  return { Records: records };
}

export function lambdaContext(remainingMs = 29_000): Context {
  const unused = () => undefined;
  return {
    awsRequestId: 'lambda-request-1',
    functionName: 'askback',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:999988887777:function:askback',
    memoryLimitInMB: '1024',
    logGroupName: '/aws/lambda/askback',
    logStreamName: '2026/11/30/[$LATEST]1',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => remainingMs,
    done: unused,
    fail: unused,
    succeed: unused,
  };
}
