/**
 * Lambda response streaming in front of the api function: every response goes out through one pump, be it one piece or
 * many. Needs the `awslambda` global of the Node runtime and, at the gateway, `responseTransferMode: STREAM`.
 */
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { ProtocolError } from '../core/errors.ts';
import type { Deps } from '../core/ports.ts';
import { statusBody } from '../core/wire/errors.ts';
import type { ApiContext } from './api.ts';
import type { GatewayResult } from './gateway-event.ts';
import { withLogFields } from './log-fields.ts';
import type { Handler } from './middleware.ts';
import { pump } from './pump.ts';

export type StreamingHandler = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>;

/** What is used of the `awslambda` global. */
export interface LambdaStreaming {
  streamifyResponse(handler: StreamingHandler): StreamingHandler;
  readonly HttpResponseStream: { from(stream: Writable, metadata: Record<string, unknown>): Writable };
}

/** Left for closing when a response has taken all the time that the function has. */
const CLOSING_MS = 1_000;

/** Throws where there is no such runtime. */
export function streamResponses(
  deps: Pick<Deps, 'clock' | 'log'>,
  handle: Handler<APIGatewayProxyEvent, GatewayResult>,
  runtime: LambdaStreaming | undefined = lambdaRuntime(),
): StreamingHandler {
  if (!runtime) throw new Error('ASKBACK_STREAMING is on, and this is not a Lambda runtime that streams');
  return runtime.streamifyResponse((event, stream, context) => {
    const requestId = event.requestContext?.requestId ?? context.awsRequestId;
    // As in middleware.ts: what goes wrong after the handler has returned is named as well.
    const fields = { correlation_id: requestId, function_request_id: context.awsRequestId };
    return withLogFields(fields, () => respond(deps, runtime, handle, { event, stream, context, requestId }));
  });
}

function lambdaRuntime(): LambdaStreaming | undefined {
  return (globalThis as unknown as { readonly awslambda?: LambdaStreaming }).awslambda;
}

interface Invocation {
  readonly event: APIGatewayProxyEvent;
  readonly stream: Writable;
  readonly context: Context;
  /** What callers are given to quote. */
  readonly requestId: string;
}

async function respond(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  { HttpResponseStream }: LambdaStreaming,
  handle: Handler<APIGatewayProxyEvent, GatewayResult>,
  { event, stream, context, requestId }: Invocation,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  stream.on('close', leave).on('error', leave);
  // Lambda may never hear that the caller has gone, and one that does not read holds the function: our own clock ends it.
  const over = new AbortController();
  void clock.sleep(Math.max(0, context.getRemainingTimeInMillis() - CLOSING_MS), over.signal).then(leave);
  try {
    const result = await handle(event, withSignal(context, gone.signal));
    const out = HttpResponseStream.from(stream, metadataOf(result));
    // Status and headers leave with the first write, and the first event may be long in coming.
    out.write('');
    try {
      await pump(typeof result.body === 'string' ? [result.body] : result.body, out, gone.signal);
    } catch (error) {
      if (!isEventStream(result)) throw error;
      log.error('a stream broke', { error });
      out.write(brokenStream(requestId));
    }
    await ended(out, gone.signal);
  } finally {
    over.abort();
  }
}

/** The context keeps its own prototype and getters. */
function withSignal(context: Context, signal: AbortSignal): ApiContext {
  return Object.assign(Object.create(context) as Context, { signal });
}

function metadataOf({ statusCode, headers, multiValueHeaders }: GatewayResult): Record<string, unknown> {
  return { statusCode, ...(headers ? { headers } : {}), ...(multiValueHeaders ? { multiValueHeaders } : {}) };
}

function isEventStream({ headers }: GatewayResult): boolean {
  return headers?.['content-type'] === 'text/event-stream';
}

function brokenStream(correlationId: string): string {
  const error = new ProtocolError('INTERNAL', 'Internal error', { metadata: { correlationId } });
  return `event: error\ndata: ${JSON.stringify(statusBody(error))}\n\n`;
}

/** Resolves when everything has been taken, or nobody is there to take it. */
function ended(out: Writable, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    gone.addEventListener('abort', () => resolve(), { once: true });
    out.end(() => resolve());
  });
}
