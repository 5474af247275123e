/** An owner's list of tasks (A2A 3.1.4): its order, what is asked of it, and what a search in it finds. */
import type { TaskState } from './message.ts';

/** A place in an owner's list of tasks: newest status first, equal times in the order of their ids. */
export interface ListPosition {
  readonly atMs: number;
  readonly taskId: string;
}

/** Tasks of one owner and agent; what is absent does not matter. */
export interface TaskFilter {
  readonly owner: string;
  readonly agent: string;
  readonly contextId?: string;
  readonly state?: TaskState;
  /** The status is of this time or later, in milliseconds since the epoch. */
  readonly sinceMs?: number;
}

export interface FoundTasks {
  readonly found: readonly ListPosition[];
  /** Where to go on; absent when there is nothing more. */
  readonly more?: ListPosition;
}

export function inListOrder(a: ListPosition, b: ListPosition): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  return a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0;
}

/** Whether a position comes later in the list than `after`; everything does when there is none. */
export function isBehind(position: ListPosition, after: ListPosition | undefined): boolean {
  return after === undefined || inListOrder(after, position) < 0;
}
