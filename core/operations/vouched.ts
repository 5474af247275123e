/**
 * Calls to callback addresses, which come from whoever was given one: the code in the address vouches for them. What
 * each kind of callback does is in grant-auth.ts and wake-delegate.ts; the path and the body are read in
 * wire/callbacks.ts.
 */
import { type CallbackPlace, isCallbackToken } from '../callbacks.ts';
import type { Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { isRetired } from './do-due.ts';

/** As in the address that was called: nothing about it has been checked yet. */
export interface CallbackAddress {
  readonly taskId: string;
  /** Of the thing within the task: an `authId`, or the number of a call. */
  readonly id: string;
  readonly token: string;
}

export interface Callback extends CallbackAddress {
  /**
   * The body as JSON, of a form too; at most 64 KB.
   * @throws ProtocolError REQUEST_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, PARSE_ERROR
   */
  body(): Json;
}

/** `not-found` for whatever was not given out by us; `gone` for what was, and is over. */
export type CallbackResult = 'done' | 'gone' | 'not-found';

/**
 * The task whose address was given out; undefined for any other.
 * @throws RetryableError when the store does not answer, or the key cannot be read
 */
export async function vouchedHead(
  deps: Deps,
  kind: CallbackPlace['kind'],
  { taskId, id, token }: CallbackAddress,
): Promise<TaskHead | undefined> {
  const head = await deps.store.load(taskId);
  if (!head || head.agent !== deps.agent.name || isRetired(deps, head)) return undefined;
  const { owner, bornMs } = head;
  return (await isCallbackToken(deps, { kind, taskId, owner, bornMs, id }, token)) ? head : undefined;
}
