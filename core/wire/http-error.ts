/** Answers of the HTTP+JSON binding that tell of an error (A2A 1.0 section 11.6), and what its JSON answers share. */
import { ProtocolError } from '../errors.ts';
import type { JsonMediaType } from './body.ts';
import type { Dialect } from './dialect.ts';
import { errorHeaders, httpStatus, statusBody } from './errors.ts';
import type { HttpResponse } from './http.ts';

export function httpJsonError(
  error: ProtocolError,
  mediaType: JsonMediaType = 'application/json',
  body: Dialect['errorBody'] = statusBody,
): HttpResponse {
  const headers = { ...jsonHeaders(mediaType), ...errorHeaders(error) };
  return { status: httpStatus(error), headers, body: JSON.stringify(body(error)) };
}

/** 405 with the methods that the path does have. */
export function methodNotAllowed(
  allow: readonly string[],
  ...form: readonly [mediaType?: JsonMediaType, body?: Dialect['errorBody']]
): HttpResponse {
  const list = allow.join(', ');
  const response = httpJsonError(new ProtocolError('METHOD_NOT_ALLOWED', `This path is for ${list}`), ...form);
  return { ...response, headers: { ...response.headers, allow: list } };
}

export function jsonHeaders(mediaType: JsonMediaType) {
  return { 'content-type': mediaType, 'cache-control': 'no-store' };
}
