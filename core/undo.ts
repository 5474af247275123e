/** What is to be undone outside for a task: a hold released, a sub-task canceled. Types only. */

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
