/**
 * The front door: one HTTP request to the card, the JSON-RPC binding (the base URL itself) or the HTTP+JSON binding
 * (everything below it). Pure of AWS; functions/api.ts and tests call it.
 */
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import { AGENT_CARD_PATH, handleCard } from './card.ts';
import type { WireContext } from './context.ts';
import { toProtocolError } from './errors.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { handleHttpJson, httpJsonError } from './http-json.ts';
import { handleJsonRpc } from './json-rpc.ts';

const EXTENSIONS: readonly string[] = [QUESTION_EXTENSION_URI];

/** Never rejects. */
export async function handleHttp(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  try {
    return withExtensions(request, await dispatch(request, context));
  } catch (error) {
    return httpJsonError(toProtocolError(error, context.deps.log, request.requestId));
  }
}

async function dispatch(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  if (request.path === AGENT_CARD_PATH) return handleCard(request, context.deps.agent.card);
  if (request.path === '/' || request.path === '') return handleJsonRpc(request, context);
  return handleHttpJson(request, context);
}

/** Tells which of the extensions that the caller asked for are in force (A2A 1.0 section 4.6). */
function withExtensions(request: HttpRequest, response: HttpResponse): HttpResponse {
  const asked = request.headers['a2a-extensions']?.split(',').map((uri) => uri.trim()) ?? [];
  const active = EXTENSIONS.filter((uri) => asked.includes(uri));
  if (active.length === 0) return response;
  return { ...response, headers: { ...response.headers, 'a2a-extensions': active.join(', ') } };
}
