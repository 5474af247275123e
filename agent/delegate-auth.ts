/**
 * A sub-agent that asks for an authorisation: this agent requires it of its own caller, in its own words, and hands the
 * credential on to where the sub-agent wants it. It passes through memory only: neither is it recorded here, nor does it
 * enter a message. Where a sub-agent has no address for it, the caller's post means no more than "look again".
 */
import { errorText } from '../core/error-text.ts';
import { AgentFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Down } from './delegate-answer.ts';
import { relayBy } from './delegate-answer.ts';
import type { Authorizing, DelegatedAuth } from './delegate-wait.ts';
import { DeclinedError, StepError } from './errors.ts';
import { optionsProblem } from './options.ts';
import type { Duration } from './question.ts';
import type { Replay } from './replay.ts';
import { requireAuth } from './require-auth.ts';
import { AttemptFailed, type StepContext } from './step.ts';
import { isRetryable, type SubAgent } from './sub-agent.ts';
import { withoutCredential } from './without-credential.ts';

/** What is needed, in this agent's own words, for its own caller. */
export interface RestatedAuth {
  readonly text: string;
  readonly request?: unknown;
}

export interface AuthRelay {
  readonly restateAuth?: (asked: DelegatedAuth) => RestatedAuth | undefined;
  readonly expiresIn?: Duration;
}

interface Handed {
  readonly atMs: number;
  readonly refused?: string;
}

export type Authorized =
  /** Handed on, or refused by the sub-agent: it is looked at again. */
  | { readonly handed: Handed }
  | Extract<Down, { decline: unknown }>
  | { readonly failed: string }
  | { readonly thrown: unknown };

export async function relayAuth(
  replay: Replay,
  sub: SubAgent,
  name: string,
  { restateAuth, expiresIn }: AuthRelay,
  { asked, seenAtMs }: Authorizing,
): Promise<Authorized> {
  const restated = restateAuth?.(asked);
  if (restated === undefined) return { failed: 'it asks for an authorisation' };
  const problem = optionsProblem(restated, ['text', 'request']);
  if (problem !== undefined) throw new AgentFault('BAD_CALL', `delegate "${name}": restateAuth: ${problem}`);
  const by = relayBy(asked, seenAtMs);
  if (by === undefined) return { failed: 'the authorisation it asks for expires too soon' };
  const options = {
    text: restated.text,
    ...(restated.request === undefined ? {} : { request: restated.request }),
    ...(expiresIn === undefined ? {} : { expiresIn }),
    use: async (credential: Json, { signal, attempt }: StepContext): Promise<Handed> => {
      const refused = await handOn(sub, asked, credential, { signal, last: attempt >= limits.stepTries });
      return { atMs: replay.host.nowMs(), ...refused };
    },
  };
  try {
    return { handed: await requireAuth<Handed>(replay, name, options, by.byMs) };
  } catch (error) {
    if (error instanceof StepError) return { failed: `it could not be given the credential: ${error.message}` };
    if (!(error instanceof DeclinedError) || asked.authId === undefined) return { thrown: error };
    return { decline: error.reason === undefined ? {} : { reason: error.reason }, of: { authId: asked.authId } };
  }
}

async function handOn(
  sub: SubAgent,
  { callbackUrl }: DelegatedAuth,
  credential: Json,
  { signal, last }: { readonly signal: AbortSignal; readonly last: boolean },
): Promise<{ readonly refused?: string }> {
  if (callbackUrl === undefined || !sub.authorize) return {};
  try {
    await sub.authorize(callbackUrl, credential, signal);
    return {};
  } catch (error) {
    // As with an answer: what the caller has given must not be lost with one connection.
    const message = errorText(error);
    if (isRetryable(error)) throw last ? new AttemptFailed(`the credential could not be handed on: ${message}`) : error;
    return { refused: withoutCredential(message, credential) };
  }
}
