/**
 * HTTP on loopback in front of the api function: turns a request into the event that API Gateway's REST proxy
 * integration would send, and the function's result into the response. It decides nothing about A2A; it only
 * answers what API Gateway itself would refuse.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { pump } from '../functions/pump.ts';
import { RequestTooLarge, refusal, toProxyEvent } from './proxy-event.ts';
import { errorCode, UserError } from './user-error.ts';

/** What the api function returns: API Gateway's result, whose body may also be streamed. */
export type HttpResult = Omit<APIGatewayProxyResult, 'body'> & {
  readonly body: string | AsyncIterable<string | Uint8Array>;
};

export interface HttpServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Answers one event; `signal` aborts when the caller has gone; `address` is where this server listens. */
  readonly handle: (
    event: APIGatewayProxyEvent,
    signal: AbortSignal,
    address: { readonly port: number },
  ) => Promise<HttpResult>;
  /** Told of what the handler threw; the caller gets a 500 without its text. */
  readonly onError: (error: unknown) => void;
}

export interface HttpServer {
  readonly port: number;
  /** Takes no more requests and waits for those that run, for at most `graceMs`; then cuts them. */
  stop(graceMs?: number): Promise<void>;
}

/** Names that only this machine answers to: any other `Host` is a web page that was pointed at loopback. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Listens on 127.0.0.1, and on ::1 where there is one. Throws `UserError` when the port is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    answer(options, request, response).catch((error: unknown) => {
      // That the caller has gone is no error of ours.
      if (!response.destroyed) options.onError(error);
      response.destroy();
    });
  };
  const v4 = await listen(createServer(serve), options.port, '127.0.0.1');
  const { port } = v4.address() as AddressInfo;
  const servers = [v4];
  try {
    servers.push(await listen(createServer(serve), port, '::1'));
  } catch (error) {
    if (error instanceof UserError && options.port !== 0) {
      await close(v4, 0);
      throw error;
    }
  }
  for (const server of servers) {
    server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end(BAD_REQUEST);
      else socket.destroy();
    });
  }
  return {
    port,
    async stop(graceMs = 2_000) {
      await Promise.all(servers.map((server) => close(server, graceMs)));
    },
  };
}

const BAD_REQUEST_BODY = refusal(400, 'The request is not HTTP.').body;
const BAD_REQUEST = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json',
  `Content-Length: ${Buffer.byteLength(BAD_REQUEST_BODY)}`,
  'Connection: close',
  '',
  BAD_REQUEST_BODY,
].join('\r\n');

async function answer(options: HttpServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  // A response that waits behind others on its connection does not hear when that connection closes. They may be many.
  request.socket.setMaxListeners(0).once('close', leave);
  response.once('close', leave).once('close', () => request.socket.off('close', leave));
  const result = await resultFor(options, request, gone.signal);
  for (const [name, value] of Object.entries({ ...result.headers, ...result.multiValueHeaders })) {
    if (value !== undefined) response.setHeader(name, Array.isArray(value) ? value.map(String) : String(value));
  }
  response.statusCode = result.statusCode;
  if (typeof result.body === 'string') {
    const body = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
    if (request.complete) response.end(body);
    else await answerEarly(request, response, body);
    return;
  }
  response.flushHeaders();
  await pump(result.body, response, gone.signal);
  response.end();
}

/**
 * Answers a caller who is still sending. Closing at once would reset the connection before the answer is read, so
 * what still comes is thrown away for a while first.
 */
async function answerEarly(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  response.setHeader('Connection', 'close');
  response.setHeader('Content-Length', body.length);
  response.write(body);
  await new Promise<void>((resolve) => {
    const patience = setTimeout(resolve, 2_000);
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    request.once('end', done).once('close', done).resume();
  });
  response.end();
}

async function resultFor(
  { handle, onError }: HttpServerOptions,
  request: IncomingMessage,
  gone: AbortSignal,
): Promise<HttpResult> {
  if (!LOOPBACK_HOST.test(request.headers.host ?? '')) {
    return refusal(421, 'This server answers on localhost only.');
  }
  let event: APIGatewayProxyEvent | undefined;
  try {
    event = await toProxyEvent(request);
  } catch (error) {
    if (error instanceof RequestTooLarge) return refusal(413, error.message);
    throw error;
  }
  if (event === undefined) return refusal(400, 'The address is not well-formed.');
  try {
    return await handle(event, gone, { port: request.socket.localPort ?? 0 });
  } catch (error) {
    onError(error);
    return refusal(500, 'Internal error.');
  }
}

function listen(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = errorCode(error);
      const another = `Choose another, beside the options you gave, as in --port ${port + 10}.`;
      if (code === 'EADDRINUSE') reject(new UserError(`Port ${port} is in use. ${another}`));
      else if (code === 'EACCES') reject(new UserError(`Port ${port} may not be used. ${another}`));
      else reject(error);
    });
    server.listen({ port, host, ipv6Only: host === '::1' }, () => resolve(server));
  });
}

async function close(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
