/** The api function: API Gateway events in, A2A answers out, in both bindings. Decides nothing about tasks. */
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { ProtocolError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { cancelTask } from '../core/operations/cancel-task.ts';
import { getTask } from '../core/operations/get-task.ts';
import { sendMessage } from '../core/operations/send-message.ts';
import type { Deps } from '../core/ports.ts';
import { wireContext } from '../core/wire/context.ts';
import { handleHttp } from '../core/wire/dispatch.ts';
import { httpJsonError } from '../core/wire/http-json.ts';
import type { TaskOperations } from '../core/wire/operations.ts';
import { fromGatewayEvent, type GatewayResult, toGatewayResult } from './gateway-event.ts';
import { type Handler, httpStack } from './middleware.ts';
import { ownerOf } from './owner.ts';

export interface ApiOptions {
  /** The public address, without a slash at its end; default: what the gateway says. */
  readonly baseUrl?: string;
  /** How long a blocking send may wait, in milliseconds. */
  readonly blockingWaitMs?: number;
}

/** The local runtime adds the signal that tells when the caller has gone; Lambda never learns of it. */
export type ApiContext = Context & { readonly signal?: AbortSignal };

/** Left for the answer itself when a blocking send has waited as long as the function's time allows. */
const ANSWER_MS = 2_000;

export function apiHandler(
  deps: Deps,
  options: ApiOptions = {},
  operations: TaskOperations = { sendMessage, getTask, cancelTask },
): Handler<APIGatewayProxyEvent, GatewayResult> {
  const wire = wireContext(deps, operations);
  const { baseUrl, blockingWaitMs = limits.blockingWaitMs } = options;
  const answer = async (event: APIGatewayProxyEvent, context: ApiContext) => {
    const waitMs = Math.max(0, Math.min(blockingWaitMs, context.getRemainingTimeInMillis() - ANSWER_MS));
    const owner = ownerOf(event);
    const { signal } = context;
    const request = { ...fromGatewayEvent(event, baseUrl), owner, waitMs, ...(signal ? { signal } : {}) };
    return toGatewayResult(await handleHttp(request, wire));
  };
  return httpStack(deps.log, answer, (_event, context) =>
    toGatewayResult(
      httpJsonError(
        new ProtocolError('INTERNAL', 'Internal error', { metadata: { correlationId: context.awsRequestId } }),
      ),
    ),
  );
}
