/** What the head of a task holds of a sub-task: a task of another agent that was begun for it. Shapes only. */
import type { Message } from './message.ts';
import type { Undo } from './undo.ts';
import type { Kept } from './task.ts';

/** A task of another agent that was begun for this one and has not ended. */
export interface Delegate {
  /** Number of the call on the turn. */
  readonly call: number;
  /** Ordinal of the delegate in the task, from 1. */
  readonly n: number;
  readonly name: string;
  /** Under which the agent module has the other agent. */
  readonly agent: string;
  readonly openedAtMs: number;
  /** What began the sub-task, until its id is known: whoever cancels it without sends the same once more. */
  readonly message?: Kept<Message>;
  readonly subTask?: SubTaskRef;
  /** How often somebody looks: by which call of the turn, and after which interval. */
  readonly poll?: { readonly wait: number; readonly intervalMs: number };
  /** The other agent tells us of changes, so that looking may be rare. */
  readonly pushes?: true;
  /** Since when the other agent has not answered when it was looked at. */
  readonly silentSinceMs?: number;
  /** It told of a change while a turn was running. */
  readonly hint?: true;
  /** How often it was looked at before its time in this wait, because it told of a change. */
  readonly hints?: number;
  /** Present while the sub-task is to be canceled. */
  readonly undo?: Undo;
}

export interface SubTaskRef {
  readonly taskId: string;
  readonly contextId?: string;
}
