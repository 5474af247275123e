/** What Lambda gives a function beside its event: an id, and how much time is left. */
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

export function invocation(functionName: string, timeoutMs: number): Context {
  const endsAtMs = performance.now() + timeoutMs;
  const unused = () => undefined;
  return {
    awsRequestId: randomUUID(),
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAtMs - performance.now()),
    done: unused,
    fail: unused,
    succeed: unused,
  };
}
