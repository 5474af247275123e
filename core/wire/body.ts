/** The body of a request as JSON: media type, size, encoding, syntax. What the JSON means is the checks' business. */
import { ProtocolError } from '../errors.ts';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import type { HttpRequest } from './http.ts';

const JSON_MEDIA_TYPES = ['application/json', 'application/a2a+json'] as const;
export type JsonMediaType = (typeof JSON_MEDIA_TYPES)[number];

/** Throws `UNSUPPORTED_MEDIA_TYPE`. No content type at all is taken for JSON. */
export function requireJsonMediaType(request: Pick<HttpRequest, 'headers'>): void {
  const mediaType = bare(request.headers['content-type'] ?? '');
  if (mediaType === '' || (JSON_MEDIA_TYPES as readonly string[]).includes(mediaType)) return;
  throw new ProtocolError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Type ${JSON.stringify(mediaType.slice(0, 100))} is not supported; send ${JSON_MEDIA_TYPES.join(' or ')}`,
    { metadata: { accepted: JSON_MEDIA_TYPES.join(', ') } },
  );
}

/**
 * What an HTTP+JSON answer calls itself. `application/a2a+json`, which the specification prefers (section 11.1), for
 * callers who name it, by asking for it or by sending it; `application/json` for all others, who may know nothing else.
 */
export function answerMediaType({ headers }: Pick<HttpRequest, 'headers'>): JsonMediaType {
  const named = [...(headers.accept ?? '').split(','), headers['content-type'] ?? ''].map(bare);
  return named.includes('application/a2a+json') ? 'application/a2a+json' : 'application/json';
}

function bare(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
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
