/**
 * Logs for a person at a terminal: what went wrong in one line, and in a second one where in the author's code, with
 * which task, and when it is tried again. The deployed functions log JSON instead (functions/lambda-log.ts); as there,
 * nested values are left out, since they could hold what callers sent.
 */
import type { Log } from '../core/ports.ts';
import { SECRET_NAMES } from '../functions/log-fields.ts';
import { placeOf, withCauses } from './error-place.ts';

const VALUE_CHARACTERS = 500;
const NAMES: Readonly<Record<string, string>> = { taskId: 'task', correlationId: 'correlation id' };

/** `write` takes one or two lines without the last one's end. Information and counts are not shown. */
export function createTextLog(write: (text: string) => void): Log {
  const show = (level: string, message: string, { error, ...fields }: Record<string, unknown> = {}) => {
    const errors = withCauses(error);
    const place = placeOf(errors);
    const said = [message, ...errors.map(({ name, message: text }) => `${name}: ${line(text)}`)];
    const details = [...(place === undefined ? [] : [`at ${place}`]), ...detailsOf(fields)];
    write([`${level}: ${said.join(': ')}`, ...(details.length === 0 ? [] : [`  ${details.join(', ')}`])].join('\n'));
  };
  const quiet = () => undefined;
  return {
    info: quiet,
    warn: (message, fields) => show('warning', message, fields),
    error: (message, fields) => show('error', message, fields),
    count: quiet,
    measure: quiet,
  };
}

function detailsOf({ attempt, attempts, retryInMs, ...fields }: Record<string, unknown>): readonly string[] {
  const others = Object.entries(fields).flatMap(([name, value]) => {
    if (!['string', 'number', 'boolean'].includes(typeof value) || SECRET_NAMES.test(name)) return [];
    return [`${NAMES[name] ?? name} ${line(String(value))}`];
  });
  if (attempts === undefined) return others;
  // A notification has no last attempt: it is sent again until a day has passed.
  if (attempt === undefined) return [`attempt ${attempts}`, ...others];
  const next = typeof retryInMs === 'number' ? `next try in ${duration(retryInMs)}` : 'not tried again';
  return [`attempt ${attempt} of ${attempts}`, next, ...others];
}

function duration(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Whatever an error says stays in its line. */
function line(text: string): string {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length > VALUE_CHARACTERS ? `${plain.slice(0, VALUE_CHARACTERS)}...` : plain;
}
