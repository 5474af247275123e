/**
 * Another agent's webhook says that a sub-task has changed. A hint, and never believed: it only brings about the turn
 * that looks for itself (design, section 12). One that comes before the sub-task is known, twice or late does no harm.
 */
import { isCallbackToken } from '../callbacks.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import type { CallbackResult } from '../wire/callbacks.ts';
import { change } from './change.ts';

export interface DelegateHint {
  readonly taskId: string;
  /** The call of the delegate, as in the address. */
  readonly id: string;
  readonly token: string;
  /** Throws for what cannot be read. */
  body(): Json;
}

/** `done` for a good token, whatever becomes of the hint. @throws RetryableError when the store does not answer */
export async function wakeDelegate(deps: Deps, hint: DelegateHint): Promise<CallbackResult> {
  const { taskId, id, token } = hint;
  const head = await deps.store.load(taskId);
  if (!head || head.agent !== deps.agent.name) return 'not-found';
  const place = { kind: 'delegate', taskId, owner: head.owner, bornMs: head.bornMs, id } as const;
  if (!(await isCallbackToken(deps, place, token))) return 'not-found';
  const call = Number(id);
  if (mayBeAtRest(hint)) await change(deps, head, () => ({ type: 'wake', call }));
  return 'done';
}

/** Progress and pieces of artifacts change nothing that is waited for. What cannot be read may be anything. */
function mayBeAtRest(hint: DelegateHint): boolean {
  let body: Json;
  try {
    body = hint.body();
  } catch {
    return true;
  }
  if (!isJsonObject(body)) return true;
  if (body.artifactUpdate !== undefined || body.kind === 'artifact-update') return false;
  const event = [body.task, body.statusUpdate, body].find((one) => isJsonObject(one) && isJsonObject(one.status));
  const state = isJsonObject(event) && isJsonObject(event.status) ? event.status.state : undefined;
  return typeof state !== 'string' || !/working|submitted/i.test(state);
}
