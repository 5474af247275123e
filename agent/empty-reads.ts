/** Inbox reads that found nothing and are not recorded yet (inbox.ts says why), and what records them in time. */
import { RetryableError } from '../core/errors.ts';
import type { TurnHost } from '../core/turn-host.ts';

export class EmptyReads {
  readonly #host: TurnHost;
  /** By call number. */
  #reads: number[] = [];
  /** One chain for all: no record may overtake the empty read that it depends on. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(host: TurnHost) {
    this.#host = host;
  }

  add(n: number): void {
    this.#reads.push(n);
  }

  /**
   * To be awaited before anything is recorded under `n`.
   * @throws RetryableError CONFLICT another worker recorded something else
   */
  recordBefore(n: number): Promise<void> {
    if (this.#reads.length === 0) return this.#recorded;
    const due = this.#reads.filter((read) => read < n);
    this.#reads = this.#reads.filter((read) => read >= n);
    this.#recorded = this.#recorded.then(async () => {
      for (const read of due) await this.#record(read);
    });
    return this.#recorded;
  }

  async #record(n: number): Promise<void> {
    const stands = await this.#host.record(n, 'inbox', 'inbox', { ok: [] });
    const empty =
      stands.kind === 'inbox' &&
      'ok' in stands.result &&
      Array.isArray(stands.result.ok) &&
      stands.result.ok.length === 0;
    // The author was told that there is nothing: only a run from the top can take that back.
    if (!empty) throw new RetryableError('CONFLICT', `another worker recorded call ${n} of this turn`);
  }
}
