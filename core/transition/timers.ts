/**
 * The one-shot timers of an ask, one for its expiry and one for each reminder, and the one of a hold. Hints only; the
 * head decides.
 */
import type { Effect, TimerKind } from '../effects.ts';
import type { Hold } from '../hold.ts';
import { limits } from '../limits.ts';
import type { OpenAsk } from '../task.ts';

type Timed = Pick<OpenAsk, 'ask' | 'expiresAtMs' | 'remindAtMs'>;

/** Reminders are named from the last one back, so that a name stays when the ones before it are over. */
function timersOf({ expiresAtMs, remindAtMs = [] }: Timed): readonly { timer: TimerKind; atMs: number }[] {
  const reminders = remindAtMs.map((atMs, n) => ({ timer: `remind-${remindAtMs.length - n}` as const, atMs }));
  return [{ timer: 'expire', atMs: expiresAtMs }, ...reminders];
}

/** None for what is due so soon that the sweeper is as good. */
export function setTimers(taskId: string, ask: Timed, nowMs: number): readonly Effect[] {
  return timersOf(ask)
    .filter(({ atMs }) => atMs - nowMs >= limits.timerMinMs)
    .map(({ timer, atMs }) => ({ kind: 'set-timer', taskId, ask: ask.ask, timer, atMs }));
}

export function deleteTimers(taskId: string, ask: Timed): readonly Effect[] {
  return timersOf(ask).map(({ timer }) => ({ kind: 'delete-timer', taskId, ask: ask.ask, timer }));
}

/** As `setTimers`, for the time at which a hold is released. */
export function setReleaseTimer(taskId: string, { n, untilMs }: Hold, nowMs: number): readonly Effect[] {
  if (untilMs - nowMs < limits.timerMinMs) return [];
  return [{ kind: 'set-timer', taskId, ask: n, timer: 'release', atMs: untilMs }];
}

/** One that has fired, or never was because the time was short, is not there to be deleted. */
export function deleteReleaseTimer(taskId: string, { n, untilMs }: Hold, nowMs: number): readonly Effect[] {
  return untilMs > nowMs ? [{ kind: 'delete-timer', taskId, ask: n, timer: 'release' }] : [];
}

/** The ask without the reminders whose time has passed. */
export function withoutPassed<T extends Timed>(ask: T, nowMs: number): T {
  const { remindAtMs = [], ...rest } = ask;
  const later = remindAtMs.filter((atMs) => atMs > nowMs);
  return (later.length > 0 ? { ...rest, remindAtMs: later } : rest) as T;
}
