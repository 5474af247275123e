/** The HTTP+JSON binding (A2A 1.0 section 11): routes, query parameters, google.rpc.Status errors. */
import { ProtocolError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { parseJson, requireJsonMediaType } from './body.ts';
import { callOf, type WireContext } from './context.ts';
import { errorHeaders, httpStatus, statusBody, toProtocolError } from './errors.ts';
import { FieldCheck } from './fields.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import type { WireOperation } from './operations.ts';
import { encodeEvents, STREAM_HEADERS } from './stream.ts';
import { requireVersion } from './version.ts';

const JSON_HEADERS = { 'content-type': 'application/a2a+json', 'cache-control': 'no-store' } as const;

/** Never rejects. */
export async function handleHttpJson(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  const told = (error: unknown) => toProtocolError(error, context.deps.log, request.requestId);
  try {
    const match = context.route(request.method, request.path);
    if (match === undefined) throw new ProtocolError('METHOD_NOT_FOUND', 'There is nothing at this path');
    if ('allow' in match) return methodNotAllowed(match.allow);
    const call = callOf(request, context);
    requireVersion(request);
    const fields = request.method === 'POST' ? readBody(request) : readQuery(request, match.operation);
    const result = await match.operation.invoke(call, { ...fields, ...match.fields });
    if ('json' in result) return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(result.json) };
    const body = await encodeEvents(result.events, {
      data: (data) => JSON.stringify(data),
      failure: (error) => `event: error\ndata: ${JSON.stringify(statusBody(told(error)))}\n\n`,
    });
    return { status: 200, headers: STREAM_HEADERS, body };
  } catch (error) {
    return httpJsonError(told(error));
  }
}

export function httpJsonError(error: ProtocolError): HttpResponse {
  const headers = { ...JSON_HEADERS, ...errorHeaders(error) };
  return { status: httpStatus(error), headers, body: JSON.stringify(statusBody(error)) };
}

/** 405 with the methods that the path does have. */
export function methodNotAllowed(allow: readonly string[]): HttpResponse {
  const list = allow.join(', ');
  const response = httpJsonError(new ProtocolError('METHOD_NOT_ALLOWED', `This path is for ${list}`));
  return { ...response, headers: { ...response.headers, allow: list } };
}

/** No body is an empty request: a cancel needs none. */
function readBody(request: HttpRequest): JsonObject {
  if (request.body === undefined || request.body.length === 0) return {};
  requireJsonMediaType(request);
  const body = parseJson(request.body);
  if (isJsonObject(body)) return body;
  const check = new FieldCheck();
  return check.accept<JsonObject>(check.refuse('body', 'must be a JSON object'));
}

/** Only known parameters are read; their spelling is section 11.5's. The operation's check judges the values. */
function readQuery({ query }: HttpRequest, { query: known }: WireOperation): JsonObject {
  const check = new FieldCheck();
  const fields: Record<string, Json> = {};
  for (const [name, type] of Object.entries(known)) {
    const [value, ...others] = query[name] ?? [];
    if (value === undefined) continue;
    if (others.length > 0) check.refuse(name, 'must be given once');
    else fields[name] = typed(value, type);
  }
  return check.accept(fields);
}

function typed(value: string, type: 'string' | 'integer' | 'boolean'): Json {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // What has the wrong form stays a string, which the check refuses where it wants a number or a boolean.
  return value;
}
