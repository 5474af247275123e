/** What a task has reserved outside, and what stands in the record. Types only. */
import type { Json } from './json.ts';
import type { Kept } from './task.ts';
import type { Undo } from './undo.ts';

/**
 * Something that was reserved outside while the task waits. `reserving` is written before anybody reserves. What was
 * confirmed or released leaves the head; the record of the call that did it remains.
 */
export interface Hold {
  /** Number of the call on the turn. */
  readonly call: number;
  /** Ordinal of the hold in the task, from 1: names its timer and its idempotency key. */
  readonly n: number;
  /** Under which the agent module has the code that releases. */
  readonly name: string;
  readonly state: 'reserving' | 'held' | 'releasing';
  readonly untilMs: number;
  /** More than one worker has set out to reserve it: one of them may come late. */
  readonly retried?: true;
  /** Of what was reserved, once that is known. */
  readonly value?: Kept<Json>;
  /** Present exactly while releasing. */
  readonly undo?: Undo;
}

/** What came of reserving; `gone`: the hold was over by then. */
export interface HoldRecord {
  readonly kind: 'hold';
  readonly call: number;
  readonly name: string;
  /** Of the hold. */
  readonly n: number;
  readonly came:
    | { readonly ok: Kept<Json> }
    | { readonly error: { readonly name: string; readonly message: string } }
    | { readonly gone: true };
}

/** The end of a hold by its author. */
export interface HoldEndRecord {
  readonly kind: 'confirm' | 'release';
  readonly call: number;
  readonly name: string;
  readonly n: number;
  /** Whether the hold was confirmed, or will be released. */
  readonly done: boolean;
}
