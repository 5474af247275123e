/** The api function: API Gateway events in, A2A answers out, in both bindings. Decides nothing about tasks. */
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { ProtocolError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { cancelTask } from '../core/operations/cancel-task.ts';
import { getTask } from '../core/operations/get-task.ts';
import { listTasks } from '../core/operations/list-tasks.ts';
import { sendMessage } from '../core/operations/send-message.ts';
import { streamMessage, subscribeToTask } from '../core/operations/stream-task.ts';
import type { Deps } from '../core/ports.ts';
import type { CardFacts } from '../core/wire/card.ts';
import type { HttpRequest, HttpResponse } from '../core/wire/http.ts';
import { wireContext } from '../core/wire/context.ts';
import { handleHttp } from '../core/wire/dispatch.ts';
import { httpJsonError } from '../core/wire/http-error.ts';
import type { TaskOperations } from '../core/wire/operations.ts';
import { fromGatewayEvent, type GatewayResult, toGatewayResult } from './gateway-event.ts';
import { type Handler, httpStack } from './middleware.ts';
import { ownerOf, type Voucher } from './owner.ts';

export interface ApiOptions {
  /** The public address, without a slash at its end; default: what the gateway says. */
  readonly baseUrl?: string;
  /** Whether what carries the responses can stream them. Default `false`: each is sent in one piece. */
  readonly streaming?: boolean;
  /** How callers authenticate, and what signs the agent card. */
  readonly card?: Pick<CardFacts, 'security' | 'signer'>;
  /** Who vouches for callers; see `ownerOf`. */
  readonly voucher?: Voucher;
  /** Serves the inbox page (inbox.ts); handed in, so that who does not serve it does not carry it. Default: nothing does. */
  readonly inbox?: (request: Pick<HttpRequest, 'method' | 'path'>) => HttpResponse | undefined;
  /** How long a response may stay open for a caller who waits, in milliseconds. */
  readonly blockingWaitMs?: number;
}

/** With the signal that tells when the caller has gone, where that can be known. */
export type ApiContext = Context & { readonly signal?: AbortSignal };

/** Left for the answer itself when a caller has waited as long as the function's time allows. */
const ANSWER_MS = 2_000;

export function apiHandler(
  deps: Deps,
  options: ApiOptions = {},
  operations: TaskOperations = { sendMessage, streamMessage, getTask, listTasks, cancelTask, subscribeToTask },
): Handler<APIGatewayProxyEvent, GatewayResult> {
  const { baseUrl, streaming = false, card, voucher, inbox } = options;
  const wire = wireContext(deps, operations, undefined, { streaming, ...card });
  const { blockingWaitMs = streaming ? limits.streamMs : limits.blockingWaitMs } = options;
  const answer = async (event: APIGatewayProxyEvent, context: ApiContext) => {
    const waitMs = Math.max(0, Math.min(blockingWaitMs, context.getRemainingTimeInMillis() - ANSWER_MS));
    const parts = fromGatewayEvent(event, baseUrl);
    const page = inbox?.(parts);
    if (page) return toGatewayResult(page);
    const owner = ownerOf(event, voucher);
    const { signal } = context;
    const request = { ...parts, owner, waitMs, ...(signal ? { signal } : {}) };
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
