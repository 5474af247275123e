/**
 * Another agent's webhook says that a sub-task has changed. A hint, and never believed: it only brings about the turn
 * that looks for itself (design, section 12). One that comes before the sub-task is known, twice or late does no harm.
 */
import { isJsonObject, type Json } from '../json.ts';
import type { Deps } from '../ports.ts';
import { change } from './change.ts';
import { type Callback, type CallbackResult, vouchedHead } from './vouched.ts';

/** `done` for a good token, whatever becomes of the hint. @throws RetryableError when the store does not answer */
export async function wakeDelegate(deps: Deps, hint: Callback): Promise<CallbackResult> {
  const head = await vouchedHead(deps, 'delegate', hint);
  if (!head) return 'not-found';
  const call = Number(hint.id);
  if (mayBeAtRest(hint)) await change(deps, head, () => ({ type: 'wake', call }));
  return 'done';
}

/** Progress and pieces of artifacts change nothing that is waited for. What cannot be read may be anything. */
function mayBeAtRest(hint: Callback): boolean {
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
