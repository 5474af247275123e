/** `Clock.after` for clocks that a test drives, on their `sleep`. */
import type { Clock } from '../../core/ports.ts';

export function afterSleeping(sleep: Clock['sleep'], ms: number, run: () => void): () => void {
  const stop = new AbortController();
  void sleep(ms, stop.signal).then(() => {
    if (!stop.signal.aborted) run();
  });
  return () => stop.abort();
}
