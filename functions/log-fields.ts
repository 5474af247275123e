/**
 * What may stand in a log line. Only plain values and errors are written: nested values could hold what callers sent,
 * which never goes into logs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields of such names are shown in no log. */
export const SECRET_NAMES = /secret|token|password|credential|authorization|cookie|apikey/i;
const VALUE_CHARACTERS = 1_000;
const STACK_CHARACTERS = 4_000;
const CAUSES = 3;

type Fields = Readonly<Record<string, unknown>>;

const invocation = new AsyncLocalStorage<Readonly<Record<string, string>>>();

/** Adds fields to every line that is logged inside `run`, however deep. */
export function withLogFields<T>(fields: Readonly<Record<string, string>>, run: () => T): T {
  return invocation.run({ ...invocation.getStore(), ...fields }, run);
}

/** Those of the invocation and these, as they may be written. */
export function loggable(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...invocation.getStore(), ...fields }).map(([name, value]) => [
      name,
      SECRET_NAMES.test(name) ? '[redacted]' : plainValue(value),
    ]),
  );
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, VALUE_CHARACTERS);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return plainError(value, CAUSES);
  return typeof value === 'object' && value !== null ? '[omitted]' : value;
}

/** Own properties of errors are left out: those of the AWS SDK hold what was sent, ours what a caller is told. */
function plainError(error: Error, causes: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined;
  const shown = { name, reason, message: cut(message, VALUE_CHARACTERS), stack: stack && cut(stack, STACK_CHARACTERS) };
  return cause instanceof Error && causes > 0 ? { ...shown, cause: plainError(cause, causes - 1) } : shown;
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}...` : text;
}
