/**
 * The front door: one HTTP request to the card, the JSON-RPC binding (the base URL itself) or the HTTP+JSON binding
 * (everything below it). Pure of AWS; functions/api.ts and tests call it.
 */
import { handleCallback, isCallback } from './callbacks.ts';
import { AGENT_CARD_PATH, handleCard } from './card.ts';
import type { WireContext } from './context.ts';
import { toProtocolError } from './errors.ts';
import { activeExtensions } from './extensions.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { httpJsonError } from './http-error.ts';
import { handleHttpJson } from './http-json.ts';
import { handleJsonRpc } from './json-rpc.ts';

/** Never rejects. */
export async function handleHttp(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  try {
    return withExtensions(request, await dispatch(request, context), context);
  } catch (error) {
    return httpJsonError(toProtocolError(error, context.deps.log, request.requestId));
  }
}

async function dispatch(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  if (isCallback(request)) return handleCallback(request, context.deps);
  if (request.path === AGENT_CARD_PATH) return handleCard(request, context.deps.agent.card, context.facts);
  if (request.path === '/' || request.path === '') return handleJsonRpc(request, context);
  return handleHttpJson(request, context);
}

/** Tells which of the extensions that the caller asked for are in force (A2A 1.0 section 4.6), as 0.3 did. */
function withExtensions(request: HttpRequest, response: HttpResponse, { deps }: WireContext): HttpResponse {
  const active = activeExtensions(request, deps.agent.card).join(', ');
  if (active === '') return response;
  const old = request.headers['x-a2a-extensions'] === undefined ? {} : { 'x-a2a-extensions': active };
  return { ...response, headers: { ...response.headers, 'a2a-extensions': active, ...old } };
}
