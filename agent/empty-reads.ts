/** Inbox reads that found nothing and are not recorded yet (inbox.ts says why), and what records them in time. */
import { RetryableError } from '../core/errors.ts';
import type { TurnHost } from '../core/turn-host.ts';

export class EmptyReads {
  readonly #host: TurnHost;
  /** By call number. */
  #reads: number[] = [];
  /** One chain for all: no record may overtake the empty read that it depends on. Undefined: there was none to record. */
  #recorded: Promise<void> | undefined;

  constructor(host: TurnHost) {
    this.#host = host;
  }

  add(n: number): void {
    this.#reads.push(n);
  }

  /**
   * To be awaited before call `n` begins, and before anything is recorded under it. Undefined: there is nothing to wait
   * for.
   * @throws RetryableError CONFLICT another worker recorded something else
   */
  recordBefore(n: number): Promise<void> | undefined {
    const due = this.#reads.filter((read) => read < n);
    if (due.length === 0) return this.#recorded;
    this.#reads = this.#reads.filter((read) => read >= n);
    this.#recorded = this.#recordAfter(this.#recorded, due);
    return this.#recorded;
  }

  async #recordAfter(earlier: Promise<void> | undefined, due: readonly number[]): Promise<void> {
    await earlier;
    for (const read of due) await this.#record(read);
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
