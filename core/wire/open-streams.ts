/**
 * How many streams each caller has open in this process: one that opens them without end must not take what others need.
 * Other processes are not counted; what bounds a caller on AWS stands in docs/decisions/0013.
 */
import { ProtocolError } from '../errors.ts';
import { type Owner, ownerKey } from '../ids.ts';
import { limits } from '../limits.ts';

export class OpenStreams {
  readonly #open = new Map<string, number>();

  /**
   * Opens a stream that counts until it ends, its reader leaves it, or `signal` says that its caller has gone.
   * @throws ProtocolError TOO_MANY_STREAMS; what `open` throws
   */
  async opened<T>(
    owner: Owner,
    signal: AbortSignal | undefined,
    open: () => Promise<AsyncIterable<T>>,
  ): Promise<AsyncIterable<T>> {
    const release = this.#hold(ownerKey(owner));
    // A stream that nobody begins to read has no end of its own.
    signal?.addEventListener('abort', release, { once: true });
    try {
      return releasing(await open(), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns gives the place back; once, however often it is called */
  #hold(owner: string): () => void {
    const open = this.#open.get(owner) ?? 0;
    if (open >= limits.streamsPerOwner) {
      const most = `This caller has ${open} streams open, the most that it may; let one end first`;
      throw new ProtocolError('TOO_MANY_STREAMS', most, {
        metadata: { maxStreams: String(limits.streamsPerOwner) },
        retryAfterSeconds: limits.retryAfterSeconds,
      });
    }
    this.#open.set(owner, open + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#open.get(owner) ?? 0) - 1;
      if (left > 0) this.#open.set(owner, left);
      else this.#open.delete(owner);
    };
  }
}

async function* releasing<T>(events: AsyncIterable<T>, release: () => void): AsyncGenerator<T, void, undefined> {
  try {
    yield* events;
  } finally {
    release();
  }
}
