/**
 * Addresses at which others call back: made here, and checked here. A code in the address binds it to the kind of
 * callback, the task, its owner and one thing within the task, so that nothing has to be stored or looked up to know
 * that an address is ours. What arrives there is for wire/callbacks.ts and the operations behind it.
 */
import type { Deps, Signer } from './ports.ts';
import { sameText } from './same-text.ts';

/** What a callback is about. */
export interface CallbackPlace {
  readonly kind: 'auth' | 'delegate';
  readonly taskId: string;
  /** Owner key of the task. */
  readonly owner: string;
  /** Creation time of the task: a task id that comes back inherits no address. */
  readonly bornMs: number;
  /** Of the thing within the task: an id that is never used again. */
  readonly id: string;
}

export const CALLBACKS_PATH = '/callbacks/';

/** Why this deployment can give nobody an address to call back; undefined: it can. For the agent's author. */
export function noCallbacksBecause({ baseUrl }: Pick<Deps, 'baseUrl'>): string | undefined {
  if (!baseUrl) {
    return 'there is no secret key to sign callback addresses with (ASKBACK_SECRET_KEY_SECRET, ASKBACK_SECRET_KEY)';
  }
  return baseUrl() === undefined ? 'the public address of this agent is not known (ASKBACK_BASE_URL)' : undefined;
}

/**
 * `{base}/callbacks/{kind}/{taskId}/{id}/{token}`. Whoever has it may use it, so it goes to the task's owner, or to the
 * agent that is to call back, and into no log.
 * @throws Error where there are no callbacks; the caller asks `noCallbacksBecause` first
 */
export async function callbackUrl(
  { baseUrl, signer }: Pick<Deps, 'baseUrl' | 'signer'>,
  place: CallbackPlace,
): Promise<string> {
  const base = baseUrl?.();
  if (base === undefined) throw new Error('there is no public address to call back');
  const token = await signer.sign(signedText(place));
  const path = [place.kind, place.taskId, place.id, token].map(encodeURIComponent).join('/');
  return `${base}${CALLBACKS_PATH}${path}`;
}

/** Whether the token in a callback's address is the one that was given out for this place. */
export async function isCallbackToken(
  { baseUrl, signer }: CallbackDeps,
  place: CallbackPlace,
  token: string,
): Promise<boolean> {
  // Without a secret key anybody could make the code.
  return baseUrl !== undefined && sameText(token, await signer.sign(signedText(place)));
}

type CallbackDeps = { readonly baseUrl?: Deps['baseUrl']; readonly signer: Signer };

/** Begins unlike whatever else is signed with the same key. */
function signedText({ kind, taskId, owner, bornMs, id }: CallbackPlace): string {
  return `callback ${JSON.stringify([kind, taskId, owner, bornMs, id])}`;
}
