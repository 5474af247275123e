/**
 * HTTP as the bindings see it: one request in, one response out, nothing of API Gateway or Node's http. functions/api.ts
 * makes the one from a gateway event and turns the other into a gateway result.
 */
import type { Owner } from '../ids.ts';

export interface HttpRequest {
  readonly method: string;
  /** Below the agent's base URL; begins with `/`. */
  readonly path: string;
  /** Decoded; every value that was given for a name, in order. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Names in lower case; values given more than once are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** From verified claims; undefined when the caller is not known. */
  readonly owner: Owner | undefined;
  /** The agent's public address, without a slash at its end. */
  readonly baseUrl: string;
  /** Names this request in logs and, as correlation id, in internal errors. */
  readonly requestId: string;
  /** How long the response may stay open: a blocking send, a stream; in milliseconds. */
  readonly waitMs: number;
  /** Aborts when nobody waits for the answer any more; the task itself goes on. */
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is sent piece by piece; one that throws cuts the connection. */
  readonly body: string | AsyncIterable<string>;
}
