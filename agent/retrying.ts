/**
 * Trying again in place, within a turn: the author's steps, and what is sent to another agent. What a failure means is
 * for each caller to say; what a later turn tries again is decided in core/transition.
 */
import { limits } from '../core/limits.ts';
import type { Replay } from './replay.ts';

export interface Retries {
  /** How often in all. */
  readonly tries?: number | undefined;
  /** Before the second try; doubles for each one after. */
  readonly delayMs?: number | undefined;
  /** Trying again would change nothing. */
  isFinal(error: unknown): boolean;
}

/** What the last try came to; 'gone': the turn is over. */
export type Tried<T> = { readonly value: T } | { readonly error: unknown; readonly isFinal: boolean } | 'gone';

/** @param run is given 1 on the first try */
export async function retrying<T>(
  replay: Replay,
  run: (attempt: number) => T | Promise<T>,
  { tries = limits.stepTries, delayMs = limits.stepRetryDelayMs, isFinal }: Retries,
): Promise<Tried<T>> {
  const { host } = replay;
  for (let attempt = 1; ; attempt++) {
    try {
      return { value: await run(attempt) };
    } catch (error) {
      // It may have failed because the turn is over; whoever has the task now finds out.
      if (host.over) return 'gone';
      if (isFinal(error)) return { error, isFinal: true };
      if (attempt >= tries) return { error, isFinal: false };
    }
    await host.sleep(delayMs * 2 ** (attempt - 1));
    if (replay.closed) return 'gone';
  }
}
