/** A log that keeps nothing: what is measured is not the fake that collects lines. */
import type { Log } from '../core/ports.ts';

export const silentLog: Log = {
  info: () => {},
  warn: () => {},
  error: (message, fields) => {
    throw new Error(`logged as an error: ${message}`, { cause: fields });
  },
  count: () => {},
  measure: () => {},
};
