/**
 * Requiring an authorisation: has the task wait for a credential and ends the turn; the turn that follows hands it to the
 * author's `use`, as a step, and records what that made of it. How the credential arrives is in core/operations.
 */
import type { AuthSpec, OnAuthExpire } from '../core/auth-request.ts';
import { AgentFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { unreachable } from '../core/unreachable.ts';
import { DeclinedError, ExpiredError } from './errors.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import { type Duration, durationMs } from './question.ts';
import type { Call, Outcome, Replay } from './replay.ts';
import { AttemptFailed, runStep, type StepContext, stepOutcome } from './step.ts';
import { withoutCredential } from './without-credential.ts';

export interface AuthOptions<T> {
  /** What is needed, by whom and for what: for a person, complete on its own. */
  readonly text: string;
  /** The same for a program: provider, scopes, the address to begin at. At most 4 KB of JSON; the caller sees it. */
  readonly request?: unknown;
  /** 24 hours by default, 30 days at most. */
  readonly expiresIn?: Duration;
  /** When nothing arrives in time: the task fails (default) or is canceled, or ExpiredError is thrown. */
  readonly onExpire?: OnAuthExpire;
  /**
   * Gets the credential as it was posted: JSON, or the fields of a form. Whoever has the address may post anything, so
   * look at it. Runs as a step does: at least once, three tries, the result recorded once and the credential deleted.
   * Neither the result nor what is thrown may hold the credential: both are stored in the clear.
   */
  readonly use: (credential: Json, context: StepContext) => T | Promise<T>;
}

const OPTIONS = ['text', 'request', 'expiresIn', 'onExpire', 'use'];

/**
 * What `use` gave. DeclinedError, ExpiredError, or StepError when `use` failed on its last try.
 * @param expiresByMs not open after this time, in milliseconds since the epoch, whatever `expiresIn` says
 */
export function requireAuth<T>(
  replay: Replay,
  name: string,
  options: AuthOptions<T>,
  expiresByMs?: number,
): Promise<T> {
  const problem = problemOf(options);
  if (problem !== undefined) return replay.fault('BAD_CALL', `requireAuth "${name}": ${problem}`);
  return replay.call<T>('auth', name, 'in order', (call) => resolveAuth(replay, call, options, expiresByMs));
}

async function resolveAuth<T>(
  replay: Replay,
  call: Call,
  options: AuthOptions<T>,
  expiresByMs: number | undefined,
): Promise<Outcome<T>> {
  const { recorded, name } = call;
  if (!recorded) {
    const spec = authSpec(name, options, expiresByMs);
    return replay.pause(() => replay.host.requireAuth(call.n, spec));
  }
  if (recorded.kind !== 'auth') throw new AgentFault('CODE_CHANGED', `call ${call.n} holds no authorisation`);
  if ('result' in recorded) return stepOutcome<T>(call, recorded);
  switch (recorded.authorisation) {
    case 'declined':
      return { thrown: new DeclinedError(name, recorded.reason, 'authorisation') };
    case 'expired':
      return { thrown: new ExpiredError(name, 'authorisation') };
    case 'granted': {
      const credential = await replay.host.credential(call.n);
      const used = await runStep(replay, call, (context) => use(options, credential, context), {});
      return used === 'gone' ? 'gone' : stepOutcome<T>(call, used);
    }
    default:
      return unreachable('authorisation', recorded.authorisation);
  }
}

/** What is thrown is recorded or logged. */
async function use<T>({ use: run }: AuthOptions<T>, credential: Json, context: StepContext): Promise<T> {
  try {
    return await run(credential, context);
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    const told = withoutCredential(String(message), credential);
    // Without its cause, which may say the same once more.
    if (error instanceof AttemptFailed) throw new AttemptFailed(told);
    throw Object.assign(new Error(told), { name });
  }
}

function authSpec(name: string, options: AuthOptions<unknown>, expiresByMs: number | undefined): AuthSpec {
  const { text, request, expiresIn, onExpire } = options;
  const what = `requireAuth "${name}"`;
  return {
    name,
    text,
    ...(request === undefined ? {} : { request: toJson(request, `the request of ${what}`) }),
    ...(expiresIn === undefined ? {} : { expiresInMs: durationMs(expiresIn, `${what}: expiresIn`) }),
    ...(expiresByMs === undefined ? {} : { expiresByMs }),
    ...(onExpire === undefined ? {} : { onExpire }),
  };
}

function problemOf(options: unknown): string | undefined {
  const problem = optionsProblem(options, OPTIONS);
  if (problem !== undefined) return problem;
  const { use, onExpire } = options as { readonly use?: unknown; readonly onExpire?: unknown };
  if (typeof use !== 'function') return 'use is the function that gets the credential';
  const known = onExpire === undefined || onExpire === 'fail' || onExpire === 'cancel' || onExpire === 'resume';
  return known ? undefined : 'onExpire is "fail", "cancel" or "resume"';
}
