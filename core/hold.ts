/** What a task has reserved outside, what is to be undone of it, and what stands in the record. Types only. */
import type { Json } from './json.ts';
import type { Kept } from './task.ts';

/**
 * A debt: something outside was begun for this task and has to be undone, by a worker, until it was or is given up
 * (operations/undo.ts). In every state of the task, ended ones included.
 */
export interface Undo {
  readonly why: UndoReason;
  /** Failed attempts of this round. */
  readonly attempts: number;
  /** A message that comes before this time is too early: one with a delay of its own is on its way. */
  readonly afterMs?: number;
  /** When the sweeper sends the queue message again, and after which interval. */
  readonly dueMs: number;
  readonly intervalMs: number;
  /** Done once, it is to be done once more: who began it may not have come to an end yet. */
  readonly again?: true;
  /** Absent: 1. A run that began before the entry was to be undone once more does not count for that. */
  readonly round?: number;
  /** Nobody tries any more, except for a message that comes back from the dead-letter queue. */
  readonly gaveUp?: true;
}

/** time: a hold's own time has passed. question: declined or expired. end: the task ended. code: the author's wish. */
export type UndoReason = 'time' | 'question' | 'end' | 'failed' | 'late' | 'code';

/** The lists of the head whose entries may have to be undone. */
export type UndoOf = 'hold' | 'delegate';

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
