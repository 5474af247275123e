/** The HTTP+JSON binding (A2A 1.0 section 11): routes, query parameters, google.rpc.Status errors. */
import { ProtocolError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { answerMediaType, parseJson, requireJsonMediaType } from './body.ts';
import { callOf, type WireContext } from './context.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { statusBody, toProtocolError } from './errors.ts';
import { requireExtensions } from './extensions.ts';
import { FieldCheck } from './fields.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { httpJsonError, jsonHeaders, methodNotAllowed } from './http-error.ts';
import { encodeLate } from './late-answer.ts';
import type { WireOperation } from './operations.ts';
import { withJsonNames } from './proto-names.ts';
import { encodeEvents, STREAM_HEADERS } from './stream.ts';
import { NAME_THE_VERSION, requireVersion } from './version.ts';

/** Never rejects. */
export async function handleHttpJson(request: HttpRequest, context: WireContext): Promise<HttpResponse> {
  const mediaType = answerMediaType(request);
  let dialect: Dialect | undefined;
  const errorBody = (error: ProtocolError) => (dialect?.errorBody ?? statusBody)(error);
  const told = (error: unknown) => toProtocolError(error, context.deps.log, request.requestId);
  try {
    dialect = await dialectOf(request, context);
    const match = dialect.route(request.method, request.path);
    if (match === undefined) throw nothingThere(request, dialect, context);
    if ('allow' in match) return methodNotAllowed(match.allow, mediaType, errorBody);
    const call = callOf(request, context, dialect.version);
    requireVersion(request, context.facts.versions);
    if (!match.operation.discovery) requireExtensions(request, context.deps.agent.card);
    const fields = request.method === 'POST' ? readBody(request, dialect) : readQuery(request, match.operation);
    const result = await match.operation.invoke(call, { ...fields, ...match.fields });
    if ('json' in result) return { status: 200, headers: jsonHeaders(mediaType), body: JSON.stringify(result.json) };
    if ('late' in result) {
      // The status has left: a body that is cut is the only sign of an error that is left.
      const cut = (error: unknown): never => {
        throw told(error);
      };
      return { status: 200, headers: jsonHeaders(mediaType), body: encodeLate(result.late, JSON.stringify, cut) };
    }
    const body = await encodeEvents(result.events, {
      data: (data) => JSON.stringify(data),
      failure: (error) => `event: error\ndata: ${JSON.stringify(errorBody(told(error)))}\n\n`,
    });
    return { status: 200, headers: STREAM_HEADERS, body };
  } catch (error) {
    return httpJsonError(told(error), mediaType, errorBody);
  }
}

function nothingThere({ method, path }: HttpRequest, { version }: Dialect, context: WireContext): ProtocolError {
  const hint = version === '0.3' && context.route(method, path) !== undefined ? `. ${NAME_THE_VERSION}` : '';
  return new ProtocolError('METHOD_NOT_FOUND', `There is nothing at this path${hint}`);
}

/** No body is an empty request: a cancel needs none. */
function readBody(request: HttpRequest, { version }: Dialect): JsonObject {
  if (request.body === undefined || request.body.length === 0) return {};
  requireJsonMediaType(request);
  const body = parseJson(request.body);
  if (isJsonObject(body)) return withJsonNames(body);
  // How some clients of 0.3 write an empty request.
  if (body === null && version === '0.3') return {};
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

function typed(value: string, type: WireOperation['query'][string]): Json {
  if (type === 'json') return parsed(value);
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // What has the wrong form stays a string, which the check refuses where it wants a number or a boolean.
  return value;
}

function parsed(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
