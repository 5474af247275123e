/** What the person who started the program can mend: told in a line or a few, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** The code of a system error (EADDRINUSE, EACCES, LEVEL_LOCKED), its cause's if it has none itself. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return errorCode(error.cause) ?? own;
}
