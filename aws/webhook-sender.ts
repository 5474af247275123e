/**
 * Posts notifications with Node's own https. Besides the URL (core/push/address.ts) it judges every address that the
 * name has at this very connection, connects to no other, and looks once more at the one it is connected to. Follows
 * no redirect and reads no body. Nothing here is AWS's; it is the port's code for whatever runs in a network of ours.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../core/limits.ts';
import type { WebhookRequest, WebhookResult, Webhooks } from '../core/push/ports.ts';
import { type AddressPolicy, addressProblem, literalAddress, urlProblem } from '../core/push/address.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface WebhookSenderOptions {
  /** Lets people try it out on one machine: loopback addresses, and http to them. Default false. */
  readonly loopback?: boolean;
  /** For tests: what a name resolves to. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>;
  /** For tests: the certificate authority to trust, in PEM. */
  readonly ca?: string;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

/** Stands for a refusal on its way through Node's error handling. */
class RefusedAddress extends Error {}

export class WebhookSender implements Webhooks {
  readonly #policy: AddressPolicy;
  readonly #resolve: (name: string) => Promise<readonly Address[]>;
  readonly #ca: string | undefined;
  readonly #timeoutMs: number;

  constructor(options: WebhookSenderOptions = {}) {
    this.#policy = { loopback: options.loopback ?? false };
    this.#resolve = options.resolve ?? ((name) => dnsLookup(name, { all: true }));
    this.#ca = options.ca;
    this.#timeoutMs = options.timeoutMs ?? limits.pushTimeoutMs;
  }

  async refusal(text: string): Promise<string | undefined> {
    const problem = urlProblem(text, this.#policy);
    if (problem !== undefined) return problem;
    const url = new URL(text);
    if (literalAddress(url) !== undefined) return undefined;
    const over = new AbortController();
    const late = sleep(limits.pushLookupMs, undefined, { signal: over.signal }).catch(() => undefined);
    // A name that cannot be looked up now may be there when it is needed.
    const found = await Promise.race([this.#resolve(url.hostname).catch(() => undefined), late]);
    over.abort();
    return found && this.#problemOf(found, url);
  }

  post({ url: text, headers, body }: WebhookRequest): Promise<WebhookResult> {
    const problem = urlProblem(text, this.#policy);
    if (problem !== undefined) return Promise.resolve({ ok: false, why: `the address ${problem}` });
    const url = new URL(text);
    return new Promise((resolve) => {
      try {
        const request = this.#request(url, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
        request.on('response', (response) => {
          resolve(resultOf(response.statusCode ?? 0));
          request.destroy();
        });
        request.on('error', (error) => resolve({ ok: false, why: this.#why(error) }));
        // With a protocol that it switches to, it neither answers nor fails: Node closes such a connection in silence.
        request.on('upgrade', (response, socket) => {
          socket.destroy();
          resolve(resultOf(response.statusCode ?? 0));
        });
        request.on('close', () => resolve({ ok: false, why: 'the connection closed without an answer' }));
        request.end(body);
      } catch (error) {
        // Node itself refuses a header that holds what no header may hold.
        resolve({ ok: false, why: this.#why(error) });
      }
    });
  }

  #request(url: URL, headers: Readonly<Record<string, string>>): ClientRequest {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'POST',
      headers,
      // A connection of its own: what was judged for one request is not used for another.
      agent: false,
      lookup: this.#lookupFor(url),
      signal: AbortSignal.timeout(this.#timeoutMs),
      ...(url.protocol === 'https:' ? { rejectUnauthorized: true, ...(this.#ca ? { ca: this.#ca } : {}) } : {}),
    });
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        if (addressProblem(socket.remoteAddress ?? '', url, this.#policy)) request.destroy(new RefusedAddress());
      });
    });
    return request;
  }

  /** In the place of Node's look-up: what it gives is what is connected to. */
  #lookupFor(url: URL): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname).then(
        (found) => {
          const [first] = found;
          if (!first || this.#problemOf(found, url)) callback(new RefusedAddress(), '', 0);
          else if (options.all) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
    };
  }

  /** One address that is refused spoils the name: which one is tried first is not ours to rely on. */
  #problemOf(found: readonly Address[], url: URL): string | undefined {
    return found.map(({ address }) => addressProblem(address, url, this.#policy)).find((problem) => problem);
  }

  /** Texts of Node's errors hold the address; their codes do not. */
  #why(error: unknown): string {
    if (error instanceof RefusedAddress) return 'the address is not a public one';
    const { name, code } = error as NodeJS.ErrnoException;
    if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${this.#timeoutMs} ms`;
    return `the request failed (${code ?? name})`;
  }
}

function resultOf(status: number): WebhookResult {
  if (status >= 200 && status < 300) return { ok: true };
  if (status === 410) return { ok: false, why: 'answered 410', gone: true };
  const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return { ok: false, why: `answered ${status}${more}` };
}
