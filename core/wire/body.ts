/** The body of a request as JSON: media type, size, encoding, syntax. What the JSON means is the checks' business. */
import { ProtocolError } from '../errors.ts';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import type { HttpRequest } from './http.ts';

const ACCEPTED = ['application/json', 'application/a2a+json'];

/** Throws `UNSUPPORTED_MEDIA_TYPE`. No content type at all is taken for JSON. */
export function requireJsonMediaType(request: Pick<HttpRequest, 'headers'>): void {
  const given = request.headers['content-type'];
  if (given === undefined || given.trim() === '') return;
  const mediaType = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (ACCEPTED.includes(mediaType)) return;
  throw new ProtocolError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Type ${JSON.stringify(mediaType.slice(0, 100))} is not supported; send ${ACCEPTED.join(' or ')}`,
    { metadata: { accepted: ACCEPTED.join(', ') } },
  );
}

/** Throws `REQUEST_TOO_LARGE` or `PARSE_ERROR`; an empty body is a parse error. */
export function parseJson(body: string | Uint8Array | undefined): Json {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  if (bytes > limits.requestBytes) {
    throw new ProtocolError('REQUEST_TOO_LARGE', `The request is larger than ${limits.requestBytes} bytes`, {
      metadata: { bytes: String(bytes), maxBytes: String(limits.requestBytes) },
    });
  }
  if (body === undefined || bytes === 0)
    throw new ProtocolError('PARSE_ERROR', 'Invalid JSON payload: the body is empty');
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json;
  } catch (cause) {
    // The parser's own message quotes the body, which may hold what must not be shown again.
    const what = cause instanceof SyntaxError ? 'not valid JSON' : 'not valid UTF-8';
    throw new ProtocolError('PARSE_ERROR', `Invalid JSON payload: the body is ${what}`, { cause });
  }
}
