/** Times as a person reads them. */
import { cleanLine } from '../../core/clean-text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** "23 h 59 min left", rounded down; "overdue" once the time has come. */
export function timeLeft(expires: string, nowMs: number): string {
  const left = Date.parse(expires) - nowMs;
  if (Number.isNaN(left)) return '';
  if (left <= 0) return 'overdue';
  return `${duration(left)} left`;
}

/** The two largest units, rounded down. */
export function duration(ms: number): string {
  const [days, hours, minutes] = [
    Math.floor(ms / DAY_MS),
    Math.floor(ms / HOUR_MS) % 24,
    Math.floor(ms / MINUTE_MS) % 60,
  ];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return `${minutes} min`;
  return `${Math.floor(ms / 1000)} s`;
}

/** "2026-12-01 09:30:00 UTC"; what is no time as it stands, cleaned. */
export function utc(timestamp: string): string {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms)
    ? cleanLine(timestamp, 50)
    : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function whenDue(expiresAtMs: number, nowMs: number): string {
  const expires = new Date(expiresAtMs).toISOString();
  return `${timeLeft(expires, nowMs)} (until ${utc(expires)})`;
}
