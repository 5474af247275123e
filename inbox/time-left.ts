/** Times as people read them. Pure: the clock is handed in. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "2 days 3 h left", to the second in the last hour; "time is up" at the end and after it. */
export function timeLeft(expiresAtMs: number, nowMs: number): string {
  const left = expiresAtMs - nowMs;
  if (!Number.isFinite(left)) return 'no time limit given';
  if (left <= 0) return 'time is up';
  const days = Math.floor(left / DAY);
  const hours = Math.floor((left % DAY) / HOUR);
  const minutes = Math.floor((left % HOUR) / MINUTE);
  const seconds = Math.floor((left % MINUTE) / SECOND);
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'}${hours > 0 ? ` ${hours} h` : ''} left`;
  if (hours > 0) return `${hours} h ${minutes} min left`;
  if (minutes > 0) return `${minutes} min ${seconds} s left`;
  return `${seconds} s left`;
}

export type Urgency = 'calm' | 'soon' | 'over';

export function urgency(expiresAtMs: number, nowMs: number): Urgency {
  const left = expiresAtMs - nowMs;
  if (left <= 0) return 'over';
  return left <= HOUR ? 'soon' : 'calm';
}

/** In the reader's own zone and language; nothing when it is no time. */
export function localTime(iso: string, locale?: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return at.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}
