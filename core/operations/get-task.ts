/**
 * GetTask (A2A 3.1.3). An overdue question is expired first, so that nobody is shown a question they cannot answer.
 * With `currentGeneration` it is a long poll, as in the draft of A2A 1.1.
 */
import type { Owner } from '../ids.ts';
import { limits } from '../limits.ts';
import { isTerminal, type Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { GetTaskRequest } from '../requests.ts';
import { viewTask } from '../view/view-task.ts';
import { ownedTask } from './owned-task.ts';
import { waitUntil } from './watch-task.ts';

export interface GetOptions {
  /** How long a long poll may wait at most, in milliseconds; default 25 s. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** @throws ProtocolError TASK_NOT_FOUND */
export async function getTask(
  deps: Deps,
  owner: Owner,
  request: GetTaskRequest,
  { waitMs = limits.blockingWaitMs, signal }: GetOptions = {},
): Promise<Task> {
  const found = await ownedTask(deps, owner, request.id);
  const { currentGeneration, historyLength } = request;
  if (currentGeneration === undefined) return viewTask(deps.store, found, historyLength);
  // What has ended goes no further: there is nothing to wait for.
  const head = await waitUntil(
    deps,
    found,
    ({ generation, status }) => generation > currentGeneration || isTerminal(status.state),
    {
      waitMs: Math.min(request.waitMs ?? limits.blockingWaitMs, waitMs, limits.blockingWaitMs),
      ...(signal ? { signal } : {}),
    },
  );
  return viewTask(deps.store, head, historyLength);
}
