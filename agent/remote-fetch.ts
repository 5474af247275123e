/**
 * The `fetch` under `remoteAgent`: what goes to a stranger and what comes back from one, within bounds. Tokens go to the
 * agent's own origin only, nothing is redirected, nobody public leads into an inner network, and no answer is read that
 * is larger than a task can be. Knows no A2A.
 */
import { limits } from '../core/limits.ts';
import { urlProblem } from '../core/push/address.ts';
import { SubAgentError } from './sub-agent.ts';

export type Headers = Readonly<Record<string, string>>;

export interface RemoteFetchOptions {
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
  readonly fetch?: typeof fetch;
}

/**
 * @param base the agent's address
 * @throws SubAgentError from the function it gives, beside what `fetch` itself throws
 */
export function remoteFetch({ headers, fetch: own = fetch }: RemoteFetchOptions, base: string): typeof fetch {
  const { origin } = new URL(base);
  const isInner = isInnerAddress(base);
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : String(input));
    const isOwn = address.origin === origin;
    // Its card names the address: a stranger's choice. Whoever is inside may name others that are.
    if (!isOwn && !isInner && urlProblem(address.href, { loopback: false }) !== undefined) {
      throw new SubAgentError('its card names an address that is neither its own nor a public https address', {
        retryable: false,
      });
    }
    // Its card may name others, and must not get at a token by that.
    const given = !isOwn ? {} : typeof headers === 'function' ? await headers() : headers;
    const all = { ...Object.fromEntries(new Headers(init?.headers)), ...sendable(given) };
    // A redirect would carry the token along.
    const response = await own(input, { ...init, headers: all, redirect: 'error' });
    const { status } = response;
    // Told from here, since not every error of the client says what the status was.
    if (isTransient(status) || status === 401 || status === 403) {
      await response.body?.cancel();
      throw new StatusError(status);
    }
    return bounded(response, init?.signal ?? undefined);
  };
}

/** What is wrong with a header is told without it: it is a token, and errors are recorded and logged. */
function sendable(headers: Headers | undefined): Headers {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    throw new SubAgentError('the headers that remoteAgent was given cannot be sent', { retryable: true });
  }
}

/** What answered may have been something in front of the agent. */
export class StatusError extends SubAgentError {
  constructor(status: number) {
    super(`the agent answered with status ${status}`, { retryable: isTransient(status) });
  }
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** By its host alone: neither scheme nor port make an address inner. */
function isInnerAddress(base: string): boolean {
  const { hostname } = new URL(base);
  return urlProblem(`https://${hostname}/`, { loopback: false }) !== undefined;
}

/**
 * Counted as it is read, so whatever it says of its length, and however it was compressed.
 * @param signal ends the reading: that of `fetch` alone does not once its own response has been collected as garbage
 */
function bounded(response: Response, signal: AbortSignal | undefined): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const most = limits.delegateResponseBytes;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= most) controller.enqueue(chunk);
      else controller.error(new SubAgentError(`its answer has more than ${most} bytes`, { retryable: false }));
    },
  });
  return new Response(response.body.pipeThrough(counted, signal && { signal }), { status, statusText, headers });
}
