/**
 * The event that API Gateway's REST proxy integration (payload of version 1.0) makes of an HTTP request, and the
 * answers that the gateway gives by itself.
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** API Gateway's own limit; the function's, which is smaller, is told by the function. */
export const GATEWAY_BODY_BYTES = 10 * 1024 * 1024;

export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
}

/** `authorizer` is left to the caller. Undefined when the address is not well-formed. Throws `RequestTooLarge`. */
export async function toProxyEvent(request: IncomingMessage): Promise<APIGatewayProxyEvent | undefined> {
  const target = readTarget(request.url ?? '/');
  if (!target) return undefined;
  const body = await readBody(request);
  const headers = headersOf(request);
  const method = request.method ?? 'GET';
  const { path, query } = target;
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers: mapValues(headers, (values) => values.at(-1)),
    multiValueHeaders: headers,
    queryStringParameters: isEmpty(query) ? null : mapValues(query, (values) => values.at(-1)),
    multiValueQueryStringParameters: isEmpty(query) ? null : query,
    pathParameters: path === '/' ? null : { proxy: path.slice(1) },
    stageVariables: null,
    body: body.length === 0 ? null : body.toString(isUtf8(body) ? 'utf8' : 'base64'),
    isBase64Encoded: !isUtf8(body),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: request.socket.remoteAddress ?? '',
        user: null,
        userAgent: request.headers['user-agent'] ?? null,
        userArn: null,
      },
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTimeEpoch: Date.now(),
      resourceId: 'local',
      resourcePath: '/{proxy+}',
      stage: 'local',
    },
  };
}

/** A JSON error in the form of google.rpc.Status, which HTTP+JSON callers read (specification 11.6). */
export function refusal(code: 400 | 413 | 421 | 500, message: string): APIGatewayProxyResult {
  const status = code === 500 ? 'INTERNAL' : 'INVALID_ARGUMENT';
  return {
    statusCode: code,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ error: { code, status, message } }),
  };
}

/** The path stays percent-encoded, as the gateway passes it; query names and values are decoded. */
function readTarget(url: string): { path: string; query: Record<string, string[]> } | undefined {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (!path.startsWith('/')) return undefined;
  const query: Record<string, string[]> = Object.create(null);
  try {
    decodeURIComponent(path);
    for (const pair of mark === -1 ? [] : url.slice(mark + 1).split('&')) {
      if (pair === '') continue;
      const [name = '', ...value] = pair.split('=').map((piece) => decodeURIComponent(piece.replaceAll('+', ' ')));
      query[name] = [...(query[name] ?? []), value.join('=')];
    }
  } catch {
    return undefined;
  }
  return { path, query };
}

/** Names as the caller spelled them; spellings of one name are one header. */
function headersOf(request: IncomingMessage): Record<string, string[]> {
  const spellings = new Map<string, string>();
  const headers: Record<string, string[]> = Object.create(null);
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    const spelling = spellings.get(name.toLowerCase()) ?? name;
    spellings.set(name.toLowerCase(), spelling);
    headers[spelling] = [...(headers[spelling] ?? []), value];
  }
  return headers;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new RequestTooLarge(`The request is larger than ${GATEWAY_BODY_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > GATEWAY_BODY_BYTES) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > GATEWAY_BODY_BYTES) {
        request.off('data', onData);
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the caller has gone')));
  });
}

function mapValues<T>(record: Record<string, string[]>, map: (values: string[]) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, values]) => [name, map(values)]));
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
