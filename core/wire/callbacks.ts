/**
 * What arrives at callback addresses: `POST /callbacks/{kind}/{taskId}/{id}/{token}`. The one place that parses them.
 * They are no part of A2A and need no known caller: the token in the path vouches for whoever was given it. A wrong
 * token, a task that is not there and a path that is none are the same 404. No log gets the body or the path.
 */
import { ProtocolError } from '../errors.ts';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import { grantAuth } from '../operations/grant-auth.ts';
import type { Callback, CallbackResult } from '../operations/vouched.ts';
import { wakeDelegate } from '../operations/wake-delegate.ts';
import type { Deps } from '../ports.ts';
import { boundErrors } from '../question/json-bounds.ts';
import { CALLBACKS_PATH } from '../callbacks.ts';
import { parseJson, requireJsonMediaType } from './body.ts';
import { toProtocolError } from './errors.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { httpJsonError, methodNotAllowed } from './http-error.ts';

type Take = (deps: Deps, callback: Callback) => Promise<CallbackResult>;

const KINDS: Readonly<Record<string, Take>> = {
  // The body first: whether it can be read says nothing about the task.
  auth: (deps, callback) => grantAuth(deps, callback, callback.body()),
  delegate: wakeDelegate,
};

export function isCallback({ path }: Pick<HttpRequest, 'path'>): boolean {
  return path.startsWith(CALLBACKS_PATH);
}

/** Never rejects. */
export async function handleCallback(request: HttpRequest, deps: Deps): Promise<HttpResponse> {
  // A link that is followed, looked at beforehand or shown again must not do what only a POST may.
  if (request.method !== 'POST') return methodNotAllowed(['POST']);
  try {
    const [kind = '', taskId = '', id = '', token = '', ...more] = request.path.slice(CALLBACKS_PATH.length).split('/');
    const take = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    const named = [taskId, id, token].every((part) => part !== '' && part.length <= limits.idLength);
    if (!take || !named || more.length > 0) throw notFound();
    const result = await take(deps, { taskId, id, token, body: () => readBody(request) });
    if (result === 'not-found') throw notFound();
    if (result === 'gone') {
      throw new ProtocolError('CALLBACK_GONE', 'This address has been used, or what it was for is over');
    }
    return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' };
  } catch (error) {
    return httpJsonError(toProtocolError(error, deps.log, request.requestId));
  }
}

function notFound(): ProtocolError {
  return new ProtocolError('METHOD_NOT_FOUND', 'There is nothing at this path');
}

const FORM = 'application/x-www-form-urlencoded';
const BOUNDS = { bytes: limits.callbackBytes, depth: limits.answerDepth, arrayItems: limits.answerArrayItems };

function readBody(request: HttpRequest): Json {
  const { body, headers } = request;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  if (bytes > limits.callbackBytes) {
    throw new ProtocolError('REQUEST_TOO_LARGE', `A callback has at most ${limits.callbackBytes} bytes`, {
      metadata: { bytes: String(bytes), maxBytes: String(limits.callbackBytes) },
    });
  }
  const isForm = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === FORM;
  if (!isForm) requireJsonMediaType(request);
  const value = isForm ? readForm(body) : parseJson(body);
  // What is wrong is told without the value, which is a credential.
  const [wrong] = boundErrors(value, BOUNDS);
  if (wrong) throw new ProtocolError('PARSE_ERROR', `The body cannot be taken: ${wrong.message}`);
  return value;
}

/** A name that is given more than once becomes a list. */
function readForm(body: HttpRequest['body']): Json {
  const text = typeof body === 'string' ? body : Buffer.from(body ?? []).toString();
  const fields = new Map<string, string[]>();
  // Anybody may post, before any code is checked: the time grows with the size of the form and with nothing else.
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  if (fields.size === 0) throw new ProtocolError('PARSE_ERROR', 'The body is empty');
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  ) as Json;
}
