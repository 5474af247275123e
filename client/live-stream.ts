/** A stream that can be looked into without taking anything out of it: how an open one is told from a closed one. */
import type { StreamResponse } from '../core/message.ts';

export type Read =
  | { readonly kind: 'event'; readonly event: StreamResponse }
  /** The agent closed it. */
  | { readonly kind: 'end' }
  /** It broke, or the agent refused it; `error` says which. */
  | { readonly kind: 'cut'; readonly error: unknown };

export class LiveStream {
  readonly #events: AsyncGenerator<StreamResponse, void, undefined>;
  readonly #abort: () => void;
  #ahead: Promise<Read> | undefined;

  constructor(events: AsyncGenerator<StreamResponse, void, undefined>, abort: () => void) {
    this.#events = events;
    this.#abort = abort;
  }

  /** What comes next, left where it is: calls until `take` get the same. Never rejects. */
  ahead(): Promise<Read> {
    this.#ahead ??= this.#events.next().then(
      ({ done, value }): Read => (done || value === undefined ? { kind: 'end' } : { kind: 'event', event: value }),
      (error: unknown): Read => ({ kind: 'cut', error }),
    );
    return this.#ahead;
  }

  /** Takes what `ahead` shows. */
  take(): void {
    this.#ahead = undefined;
  }

  /** Cuts the connection; the task goes on. */
  close(): void {
    this.#abort();
    // What is being read ends as cut, and nobody is interested.
    void this.ahead();
  }
}
