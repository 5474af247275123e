/**
 * The JSON-RPC 2.0 binding (A2A 1.0 section 9).
 * Refused as invalid requests: batches, and requests without an id. JSON-RPC calls the latter notifications and forbids
 * an answer; no A2A operation makes sense unanswered, and a task whose id nobody learns would be worse than an error.
 */
import { ProtocolError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { parseJson, requireJsonMediaType } from './body.ts';
import { callOf, type WireContext } from './context.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { errorHeaders, rpcError, rpcHttpStatus, toProtocolError } from './errors.ts';
import { requireExtensions } from './extensions.ts';
import { FieldCheck } from './fields.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { encodeLate } from './late-answer.ts';
import type { WireOperation } from './operations.ts';
import { withJsonNames } from './proto-names.ts';
import { encodeEvents, STREAM_HEADERS } from './stream.ts';
import { NAME_THE_VERSION, requireVersion } from './version.ts';

type RpcId = string | number | null;

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const;

/** Never rejects. */
export async function handleJsonRpc(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  let id: RpcId = null;
  const told = (error: unknown) => toProtocolError(error, context.deps.log, request.requestId);
  const failure = (error: ProtocolError) => JSON.stringify({ jsonrpc: '2.0', id, error: rpcError(error) });
  try {
    if (request.method !== 'POST') throw new ProtocolError('METHOD_NOT_ALLOWED', 'JSON-RPC requests are sent by POST');
    const dialect = await dialectOf(request, context);
    const call = callOf(request, context, dialect.version);
    requireJsonMediaType(request);
    const envelope = requireObject(parseJson(request.body));
    id = isRpcId(envelope.id) ? envelope.id : null;
    const method = requireMethod(envelope);
    requireVersion(request, context.facts.versions);
    const operation = requireOperation(dialect, method, context);
    if (!operation.discovery) requireExtensions(request, context.deps.agent.card);
    const params = requireParams(envelope.params);
    // Last, so that a request without an id hears first of what is wrong with the request itself.
    requireId(envelope);
    const result = await operation.invoke(call, params);
    if ('json' in result) {
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id, result: result.json }) };
    }
    if ('late' in result) {
      const answer = (json: object) => JSON.stringify({ jsonrpc: '2.0', id, result: json });
      const body = encodeLate(result.late, answer, (error) => failure(told(error)));
      return { status: 200, headers: JSON_HEADERS, body };
    }
    const body = await encodeEvents(result.events, {
      data: (data) => JSON.stringify({ jsonrpc: '2.0', id, result: data }),
      failure: (error) => `data: ${failure(told(error))}\n\n`,
    });
    return { status: 200, headers: STREAM_HEADERS, body };
  } catch (thrown) {
    const error = told(thrown);
    const headers = { ...JSON_HEADERS, ...errorHeaders(error) };
    return {
      status: rpcHttpStatus(error),
      headers: error.reason === 'METHOD_NOT_ALLOWED' ? { ...headers, allow: 'POST' } : headers,
      body: failure(error),
    };
  }
}

function invalidRequest(description: string): ProtocolError {
  return new ProtocolError('INVALID_REQUEST', `Request payload validation error: ${description}`);
}

function requireObject(envelope: Json): JsonObject {
  if (Array.isArray(envelope)) throw invalidRequest('batch requests are not supported');
  if (!isJsonObject(envelope)) throw invalidRequest('the request must be a JSON object');
  return envelope;
}

/**
 * Numbers that JavaScript would not give back unchanged are refused, because the answer could not be matched. Texts are
 * bounded, because every event of a stream repeats the id.
 */
function isRpcId(id: Json | undefined): id is RpcId {
  return id === null || (typeof id === 'string' && id.length <= limits.rpcIdLength) || Number.isSafeInteger(id);
}

function requireId({ id }: JsonObject): void {
  if (id === undefined) throw invalidRequest('id is required; notifications are not supported');
  if (!isRpcId(id))
    throw invalidRequest(`id must be a string of at most ${limits.rpcIdLength} characters, an integer or null`);
}

function requireMethod({ jsonrpc, method }: JsonObject): string {
  if (jsonrpc !== '2.0') throw invalidRequest('jsonrpc must be "2.0"');
  if (typeof method !== 'string' || method === '') throw invalidRequest('method must be a string');
  return method;
}

function requireOperation({ byName, version }: Dialect, method: string, context: WireContext): WireOperation {
  const operation = byName.get(method);
  if (operation !== undefined) return operation;
  const shown = method.slice(0, 100);
  const hint = version === '0.3' && context.byName.has(method) ? `. ${NAME_THE_VERSION}` : '';
  throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${shown}${hint}`, { metadata: { method: shown } });
}

/** Absent params are an empty request: the operation's own check says what is missing. */
function requireParams(params: Json | undefined): JsonObject {
  if (params === undefined || params === null) return {};
  const check = new FieldCheck();
  if (isJsonObject(params)) {
    if (Object.hasOwn(params, '')) check.refuse('params', 'must not have a field without a name');
    return withJsonNames(check.accept(params));
  }
  return check.accept<JsonObject>(check.refuse('params', 'must be an object'));
}
