/**
 * The middy stacks, one for each way of being invoked. All name the invocation in every log line and log what escaped;
 * they differ in what an escaped error means: a 500 for a caller, another delivery for a queue or the Scheduler.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Log } from '../core/ports.ts';
import { withLogFields } from './log-fields.ts';

export type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * No early timeout: middy has one AbortController for the whole process, so that one timeout would abort every request of
 * the local runtime.
 */
const PLUGIN = { timeoutEarlyInMillis: 0 };

/** For API Gateway: what escapes becomes the response that `onFailure` makes. */
export function httpStack<Result>(
  log: Log,
  handler: Handler<APIGatewayProxyEvent, Result>,
  onFailure: (event: APIGatewayProxyEvent, context: Context) => Result,
): Handler<APIGatewayProxyEvent, Result> {
  const stack = middy<APIGatewayProxyEvent, Result>(
    named(handler, (event) => event.requestContext?.requestId),
    PLUGIN,
  ).onError((request) => {
    log.error('the api function failed', { requestId: request.context.awsRequestId, error: request.error });
    request.response = onFailure(request.event, request.context);
  });
  return (event, context) => stack(event, context);
}

/** For SQS, the Scheduler and plain events: what escapes is logged and thrown on, which means another delivery. */
export function eventStack<Event, Result>(log: Log, handler: Handler<Event, Result>): Handler<Event, Result> {
  const stack = middy<Event, Result>(
    named(handler, () => undefined),
    PLUGIN,
  ).onError((request) => {
    log.error('the function failed', { requestId: request.context.awsRequestId, error: request.error });
  });
  return (event, context) => stack(event, context);
}

/** In Powertools' words: `correlation_id` is the gateway's where there is one, which callers are given to quote. */
function named<Event, Result>(
  handler: Handler<Event, Result>,
  requestIdOf: (event: Event) => string | undefined,
): Handler<Event, Result> {
  return (event, context) => {
    const { awsRequestId } = context;
    const fields = { correlation_id: requestIdOf(event) ?? awsRequestId, function_request_id: awsRequestId };
    return withLogFields(fields, () => handler(event, context));
  };
}
