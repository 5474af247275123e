/**
 * The loop under every operation: decide on the head, save under its version, perform what is owed. Who loses a race
 * decides again on the fresh head; only that decision is told to the caller.
 */
import { RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import { Conflict, type Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import type { Command, Rejection, Transition } from '../transition/command.ts';
import { transition } from '../transition/transition.ts';
import { perform } from './perform.ts';

export type Changed =
  | { readonly ok: true; readonly head: TaskHead }
  /** `head` is the one that refused; absent when the task is gone. */
  | { readonly ok: false; readonly rejection: Rejection; readonly head: TaskHead }
  /** `command` gave nothing to do to this head. */
  | { readonly ok: false; readonly rejection: 'changed'; readonly head: TaskHead }
  | { readonly ok: false; readonly rejection: 'gone'; readonly head?: never };

/**
 * @param command what to do to the given head; called again after a lost race, and may then leave it to its caller to
 *   look anew
 * @throws RetryableError when the head kept changing, or the store does not answer
 */
export function change(
  deps: Deps,
  first: TaskHead,
  command: (head: TaskHead) => Command | undefined,
): Promise<Changed> {
  return decideAndSave(deps, first, (head) => {
    const what = command(head);
    return what && transition(head, what, deps.clock.now());
  });
}

/**
 * The same for who has more to decide than a command says. What `decide` throws is thrown on, and nothing is written.
 * @throws RetryableError as `change`
 */
export async function decideAndSave(
  deps: Deps,
  first: TaskHead,
  decide: (head: TaskHead) => Transition | undefined,
): Promise<Changed> {
  let head = first;
  for (let lost = 0; lost <= limits.conflictRetries; lost++) {
    const next = decide(head);
    if (!next) return { ok: false, rejection: 'changed', head };
    if (!next.ok) return { ok: false, rejection: next.rejection, head };
    try {
      const saved = await deps.store.save(head, next.head, next.children);
      await perform(deps, next.effects);
      deps.wake.notify(saved.taskId);
      return { ok: true, head: saved };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      deps.log.count('RacesLost');
      if (!error.actual) return { ok: false, rejection: 'gone' };
      head = error.actual;
    }
  }
  throw new RetryableError('CONFLICT', `task ${head.taskId} kept changing`);
}
