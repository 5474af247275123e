/** Inbox reads that found nothing and are not recorded yet (inbox.ts says why), and what records them in time. */
import { RetryableError } from '../core/errors.ts';
import type { TurnHost } from '../core/turn-host.ts';

export class EmptyReads {
  readonly #host: TurnHost;
  /** By call number. */
  readonly #reads: number[] = [];
  /** One chain for all: no call may overtake an empty read that it may rest on. Undefined: there was none to record. */
  #recorded: Promise<void> | undefined;

  constructor(host: TurnHost) {
    this.#host = host;
  }

  add(n: number): void {
    this.#reads.push(n);
  }

  /**
   * To be awaited before a call begins: all empty reads were before it. Undefined: there is nothing to wait for.
   * @throws RetryableError CONFLICT another worker recorded something else
   */
  recordAll(): Promise<void> | undefined {
    if (this.#reads.length > 0) this.#recorded = this.#recordAfter(this.#recorded, this.#reads.splice(0));
    return this.#recorded;
  }

  async #recordAfter(earlier: Promise<void> | undefined, reads: readonly number[]): Promise<void> {
    await earlier;
    for (const read of reads) await this.#record(read);
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
