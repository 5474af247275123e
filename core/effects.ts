/**
 * What is owed to the world after a head was saved, as data. Each may be lost or repeated without harm: the head's
 * `due` brings the sweeper to what was lost, and names and conditions make repeats harmless.
 */
import type { UndoOf } from './undo.ts';

export type Effect =
  /** Put a turn on the queue; `delayMs` for a retry that is not due yet. */
  | { readonly kind: 'dispatch'; readonly taskId: string; readonly turn: number; readonly delayMs?: number }
  /** A one-shot timer of an ask or a hold, whose ordinal is `ask`: see `Timer` in ports.ts, `timerName` in ids.ts. */
  | {
      readonly kind: 'set-timer';
      readonly taskId: string;
      readonly ask: number;
      readonly timer: TimerKind;
      readonly atMs: number;
    }
  | { readonly kind: 'delete-timer'; readonly taskId: string; readonly ask: number; readonly timer: TimerKind }
  /** Have the events that lie after the cursors of these push configs delivered. */
  | { readonly kind: 'poke-push'; readonly taskId: string; readonly configIds: readonly string[] }
  /** Have a worker undo an entry of the head that is to be undone; `delayMs` for what is not to be tried yet. */
  | {
      readonly kind: 'undo';
      readonly taskId: string;
      readonly of: UndoOf;
      readonly n: number;
      readonly delayMs?: number;
    }
  /** Delete the task's SECRET items. */
  | { readonly kind: 'drop-secrets'; readonly taskId: string }
  /** Delete one SECRET item: a credential that has been used. */
  | { readonly kind: 'drop-secret'; readonly taskId: string; readonly id: string }
  /** Something for the metrics: never changes behaviour. */
  | { readonly kind: 'count'; readonly metric: Metric }
  /** A time for the metrics, in milliseconds: never changes behaviour. */
  | { readonly kind: 'measure'; readonly metric: TimeMetric; readonly ms: number };

/** Reminders of an ask are counted from its expiry back: `remind-1` is the last one. `release` is of a hold. */
export type TimerKind = 'expire' | `remind-${number}` | 'release';

export type Metric =
  | 'QuestionsAsked'
  | 'AuthsRequired'
  | 'AuthsGranted'
  | 'AuthsDeclined'
  | 'AuthsExpired'
  | 'QuestionsAnswered'
  | 'QuestionsReasked'
  | 'QuestionsDeclined'
  | 'QuestionsExpired'
  /** Expired so late that timer and sweeper must have failed (`limits.overdueGraceMs`). */
  | 'QuestionsOverdue'
  | 'DuplicatesDropped'
  | 'RacesLost'
  | 'LeasesTakenOver'
  | 'TurnsFailed'
  | 'DispatchesLost'
  | 'TimersLost'
  | 'RemindersSent'
  | 'PushesDelivered'
  | 'PushesFailed'
  | 'PushesGivenUp'
  | 'PokesLost'
  /** A hold was not released, or a sub-task not canceled, after every attempt. */
  | 'UndosGivenUp';

export type TimeMetric =
  /** From the question, each attempt for itself, to the answer that was accepted. */
  | 'TimeToAnswer'
  /** From an accepted answer or decline to the worker that goes on with it. */
  | 'AnswerToResume';
