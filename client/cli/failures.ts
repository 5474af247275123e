/** What went wrong, in words that say what to do, with the exit code that a script gets. */
import { errorText } from '../../core/error-text.ts';
import type { JsonObject } from '../../core/json.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { AgentUnreachableError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { present } from './output.ts';

/** Ends the program: one line that says what is wrong, perhaps one that says what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exit: ExitCode;
  readonly advice: string | undefined;
  /** The task that it is about, where it is known and goes on or was canceled by us. */
  readonly taskId: string | undefined;

  constructor(
    exit: ExitCode,
    message: string,
    options: { readonly advice?: string; readonly taskId?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exit = exit;
    this.advice = options.advice;
    this.taskId = options.taskId;
  }
}

export function misused(message: string, advice?: string): CommandFailed {
  return new CommandFailed(EXIT.usage, message, advice === undefined ? {} : { advice });
}

/** @param url of the agent, to be named */
export function failureOf(error: unknown, url?: string): CommandFailed {
  if (error instanceof CommandFailed) return error;
  const where = url === undefined ? 'the agent' : url;
  const said = errorText(error);
  const status = statusOf(error);
  if (status === 401 || status === 403 || /^(UNAUTHENTICATED|PERMISSION_DENIED)$/.test(reasonOf(error) ?? '')) {
    return new CommandFailed(EXIT.refused, `${where} does not accept these credentials: ${cleanLine(said)}`, {
      advice:
        'Name the variable that holds a token with --bearer-env NAME, or a file with --bearer-file. An agent behind AWS IAM wants --aws-region.',
      cause: error,
    });
  }
  if (isUnreachable(error) || error instanceof AgentUnreachableError) {
    return new CommandFailed(EXIT.unreachable, `${where} cannot be reached (${cleanLine(innermost(error))})`, {
      advice: 'Is the address right, and the agent running? The same command may be given again.',
      cause: error,
    });
  }
  if (reasonOf(error) !== undefined) {
    const advice = ADVICE[reasonOf(error) ?? ''];
    const options = { ...(advice === undefined ? {} : { advice }), cause: error };
    return new CommandFailed(EXIT.refused, cleanLine(said, 1000), options);
  }
  const { code } = error as { code?: unknown };
  const advice = typeof code === 'string' && DISK.test(code) ? { advice: OTHER_FOLDER } : {};
  return new CommandFailed(EXIT.failed, cleanLine(said, 1000), { ...advice, cause: error });
}

export function isNotFound(error: unknown): boolean {
  return reasonOf(error) === 'TASK_NOT_FOUND';
}

/** The object that `--json` shows for it. */
export function failureObject({ exit, message, advice, taskId }: CommandFailed): JsonObject {
  return present({ type: 'error', exitCode: exit, message, advice, taskId });
}

/** What Node's file system says when it cannot write. */
const DISK = /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|ENOTDIR|EEXIST|EMFILE)$/;
const OTHER_FOLDER = 'Tasks are kept in a folder; name another one with ASKBACK_STATE_DIR.';

const ADVICE: Readonly<Record<string, string>> = {
  TASK_NOT_FOUND: 'An agent shows a task to its owner only: are the credentials the same?',
};

/**
 * The reason that the official client's errors carry: the agent was reached and said no. Reasons that the client does
 * not know, such as those of credentials, it calls INTERNAL_ERROR; the agent's own word lies in the data.
 */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { reason, data } = error as { reason?: unknown; data?: unknown };
  const details = (Array.isArray(data) ? data : []).map((detail: { reason?: unknown } | null) => detail?.reason);
  return [...details, reason].find((word): word is string => typeof word === 'string' && /^[A-Z_]+$/.test(word));
}

function statusOf(error: unknown): number | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { status, statusCode } = at as { status?: unknown; statusCode?: unknown };
    if (typeof status === 'number') return status;
    if (typeof statusCode === 'number') return statusCode;
    const named = /\b(?:status|HTTP)\D{0,8}([45]\d\d)\b/i.exec(at.message)?.[1];
    if (named) return Number(named);
  }
  return undefined;
}

function isUnreachable(error: unknown): boolean {
  const status = statusOf(error);
  if ((status !== undefined && [502, 503, 504].includes(status)) || reasonOf(error) === 'UNAVAILABLE') return true;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (
      typeof code === 'string' &&
      /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|UND_ERR|CERT_|ERR_TLS|DEPTH_ZERO)/.test(code)
    )
      return true;
    if (/^(fetch failed|terminated)$/.test(at.message)) return true;
  }
  return false;
}

function innermost(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (at instanceof AggregateError && at.errors[0] instanceof Error) return at.errors[0].message;
  return errorText(at);
}
