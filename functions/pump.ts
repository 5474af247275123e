/**
 * Writes a body out piece by piece: never faster than it is taken, and no longer than somebody takes it. The same for
 * Lambda's response streams and for Node's own responses.
 */
import type { Writable } from 'node:stream';

/**
 * Resolves when everything is written, or when `gone` aborts: the source is then told to stop. Does not end `out`.
 * Rejects with what the source throws.
 */
export async function pump(
  body: AsyncIterable<string | Uint8Array> | Iterable<string>,
  out: Writable,
  gone: AbortSignal,
): Promise<void> {
  for await (const chunk of body) {
    if (gone.aborted) return;
    if (!out.write(chunk)) await drained(out, gone);
    if (gone.aborted) return;
  }
}

/** Resolves when more can be written, or nobody will take more. */
function drained(out: Writable, gone: AbortSignal): Promise<void> {
  if (out.destroyed || gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done).off('close', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    out.on('drain', done).on('close', done);
    gone.addEventListener('abort', done, { once: true });
  });
}
