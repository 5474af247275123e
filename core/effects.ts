/**
 * What is owed to the world after a head was saved, as data. Each may be lost or repeated without harm: the head's
 * `due` brings the sweeper to what was lost, and names and conditions make repeats harmless.
 */
export type Effect =
  /** Put a turn on the queue; `delayMs` for a retry that is not due yet. */
  | { readonly kind: 'dispatch'; readonly taskId: string; readonly turn: number; readonly delayMs?: number }
  /** A one-shot timer of an ask, named by task, ask and kind (see `timerName` in ids.ts). */
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
  /** Delete the task's SECRET items. */
  | { readonly kind: 'drop-secrets'; readonly taskId: string }
  /** Something for the metrics: never changes behaviour. */
  | { readonly kind: 'count'; readonly metric: Metric };

/** Reminders of an ask are counted from its expiry back: `remind-1` is the last one. */
export type TimerKind = 'expire' | `remind-${number}`;

export type Metric =
  | 'QuestionsAsked'
  | 'QuestionsAnswered'
  | 'QuestionsReasked'
  | 'QuestionsDeclined'
  | 'QuestionsExpired'
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
  | 'PokesLost';
