/** API Gateway's REST proxy event (payload of version 1.0) as the wire's own request, and the response back. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { HttpRequest, HttpResponse } from '../core/wire/http.ts';

export type GatewayResult = Omit<APIGatewayProxyResult, 'body'> & { readonly body: string | AsyncIterable<string> };

export type RequestParts = Pick<
  HttpRequest,
  'method' | 'path' | 'query' | 'headers' | 'body' | 'baseUrl' | 'requestId'
>;

/** `baseUrl`: the public address where a proxy stands in front; otherwise the event tells it. */
export function fromGatewayEvent(event: APIGatewayProxyEvent, baseUrl?: string): RequestParts {
  const headers = headersOf(event);
  const path = pathOf(event);
  return {
    method: event.httpMethod,
    path,
    query: queryOf(event),
    headers,
    body: bodyOf(event),
    baseUrl: baseUrl ?? baseUrlOf(event, path, headers),
    requestId: event.requestContext.requestId,
  };
}

export function toGatewayResult({ status, headers, body }: HttpResponse): GatewayResult {
  return { statusCode: status, headers: { ...headers }, body };
}

/**
 * The path below the base URL: the resource with its parameters filled in. `event.path` would still hold the base path
 * of a custom domain.
 */
function pathOf({ resource, path, pathParameters }: APIGatewayProxyEvent): string {
  let complete = true;
  const filled = (resource ?? '').replace(/\{([^}+]+)\+?\}/g, (_whole, name: string) => {
    const value = pathParameters?.[name];
    if (value === undefined) complete = false;
    return value ?? '';
  });
  return complete && filled.startsWith('/') ? filled : path;
}

/** What stands before the path in the public address: the stage, or the base path of a custom domain. */
function baseUrlOf(event: APIGatewayProxyEvent, path: string, headers: HttpRequest['headers']): string {
  const { path: whole, domainName } = event.requestContext;
  const prefix = whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : '';
  return `https://${domainName ?? headers.host ?? 'localhost'}${prefix.replace(/\/+$/, '')}`;
}

function headersOf({ headers, multiValueHeaders }: APIGatewayProxyEvent): Record<string, string> {
  const single = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value ?? '']);
  const multiple = Object.entries(multiValueHeaders ?? {}).map(([name, values]) => [
    name.toLowerCase(),
    (values ?? []).join(', '),
  ]);
  return Object.fromEntries([...single, ...multiple]);
}

function queryOf(event: APIGatewayProxyEvent): Record<string, readonly string[]> {
  const single = Object.entries(event.queryStringParameters ?? {}).map(([name, value]) => [name, [value ?? '']]);
  const multiple = Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [
    name,
    values ?? [],
  ]);
  return Object.fromEntries([...single, ...multiple]);
}

/** Bytes stay bytes: whether they are UTF-8 is found out where an error can be told. */
function bodyOf({ body, isBase64Encoded }: APIGatewayProxyEvent): string | Uint8Array | undefined {
  if (body === null || body === undefined) return undefined;
  return isBase64Encoded ? Buffer.from(body, 'base64') : body;
}
