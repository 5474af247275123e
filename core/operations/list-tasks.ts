/**
 * ListTasks (A2A 3.1.4): an owner's tasks, newest status first, page by page. A page goes on behind the place where the
 * one before it ended, so that a task that does not change is shown exactly once; one that changes moves to the top,
 * behind which the list has already passed. What is shown are the heads as they are: an index entry is only a hint.
 */
import { ProtocolError } from '../errors.ts';
import { type Owner, ownerKey } from '../ids.ts';
import { limits } from '../limits.ts';
import type { Task } from '../message.ts';
import { inParallel } from '../parallel.ts';
import type { Deps } from '../ports.ts';
import type { ListTasksRequest } from '../requests.ts';
import type { TaskHead } from '../task.ts';
import { type FoundTasks, inListOrder, isBehind, type ListPosition, type TaskFilter } from '../task-list.ts';
import { fitTask, wireBytes } from '../view/fit.ts';
import { viewListed } from '../view/view-task.ts';
import { doOverdue, isRetired } from './do-due.ts';
import { readPageToken, writePageToken } from './page-token.ts';

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** One page's worth of places, and how many there are in all if that is known without counting. */
type Found = FoundTasks & { readonly totalSize?: number; readonly heads?: readonly TaskHead[] };

/** Tasks viewed at a time; each may hold megabytes. */
const VIEWED_AT_ONCE = 4;

/** @throws ProtocolError INVALID_PARAMS for a page token that is not of this list */
export async function listTasks(deps: Deps, owner: Owner, request: ListTasksRequest): Promise<TaskPage> {
  const { contextId, status, sinceMs, pageToken, pageSize = limits.listPageDefault } = request;
  const filter: TaskFilter = {
    owner: ownerKey(owner),
    agent: deps.agent.name,
    ...(contextId === undefined ? {} : { contextId }),
    ...(status === undefined ? {} : { state: status }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
  const start = pageToken === undefined ? undefined : await readPageToken(deps.signer, filter, pageToken);
  const page = await find(deps, filter, start?.after, pageSize);
  const [heads, counted] = await Promise.all([
    headsOf(deps, filter, page),
    start || page.totalSize !== undefined || !page.more
      ? undefined
      : deps.store.countOwnerTasks(filter, limits.listCountEntries),
  ]);
  const { tasks, cutAfter } = await viewPage(deps, request, heads);
  const after = cutAfter ?? page.more;
  const totalSize = start?.totalSize ?? page.totalSize ?? counted ?? heads.length;
  return {
    tasks,
    nextPageToken: after ? await writePageToken(deps.signer, filter, { after, totalSize }) : '',
    pageSize,
    totalSize,
  };
}

/** By context where it is small enough to be read whole, else by owner. */
async function find(deps: Deps, filter: TaskFilter, after: ListPosition | undefined, limit: number): Promise<Found> {
  const { store, clock } = deps;
  if (filter.contextId === undefined) return store.ownerTasks(filter, after, limit);
  const taskIds = await store.contextTasks(filter.owner, filter.contextId, limits.listContextTasks + 1);
  if (taskIds.length > limits.listContextTasks) return store.ownerTasks(filter, after, limit);
  const heads = (await store.loadAll(taskIds)).filter(
    (head) => belongs(head, filter, clock.now()) && !isRetired(deps, head),
  );
  const all = heads.map(positionOf).sort(inListOrder);
  const behind = all.filter((position) => isBehind(position, after));
  const found = behind.slice(0, limit);
  const last = found.at(-1);
  const whole = { found, heads, totalSize: all.length };
  return behind.length > limit && last ? { ...whole, more: last } : whole;
}

interface Listed {
  /** Where the search found it; the head may be elsewhere by now. */
  readonly at: ListPosition;
  readonly head: TaskHead;
}

/** The heads of the found places, as they are now and with no question overdue; who no longer fits is left out. */
async function headsOf(deps: Deps, filter: TaskFilter, { found, heads }: Found): Promise<readonly Listed[]> {
  const loaded = heads ?? (await deps.store.loadAll(found.map(({ taskId }) => taskId)));
  const byId = new Map(loaded.map((head) => [head.taskId, head]));
  const settled = await inParallel(found, async (at): Promise<Listed | undefined> => {
    const head = byId.get(at.taskId);
    if (!head || head.owner !== filter.owner || head.agent !== filter.agent || isRetired(deps, head)) return undefined;
    const now = await doOverdue(deps, head);
    return now && belongs(now, filter, deps.clock.now()) ? { at, head: now } : undefined;
  });
  return settled.filter((listed) => listed !== undefined);
}

/** An overdue question is no question any more, whether or not anybody has written that yet. */
function belongs(head: TaskHead, filter: TaskFilter, nowMs: number): boolean {
  const overdue = head.ask !== undefined && head.ask.expiresAtMs <= nowMs;
  return (
    head.owner === filter.owner &&
    head.agent === filter.agent &&
    (filter.contextId === undefined || head.contextId === filter.contextId) &&
    (filter.state === undefined || (head.status.state === filter.state && !overdue)) &&
    (filter.sinceMs === undefined || head.status.atMs >= filter.sinceMs)
  );
}

/**
 * As many tasks, in the order they were found, as one response carries; at least one. `cutAfter` is where the next page
 * begins when that was not all. They are then sorted by what they show.
 */
async function viewPage(
  deps: Deps,
  request: ListTasksRequest,
  listed: readonly Listed[],
): Promise<{ tasks: readonly Task[]; cutAfter?: ListPosition }> {
  const kept: { readonly task: Task; readonly shown: ListPosition }[] = [];
  let room: number = limits.responseBytes;
  for (let first = 0; first < listed.length; first += VIEWED_AT_ONCE) {
    const some = listed.slice(first, first + VIEWED_AT_ONCE);
    const views = await inParallel(some, ({ head }) => viewListed(deps.store, head, request));
    for (const [index, view] of views.entries()) {
      const { head } = some[index] as Listed;
      const task = kept.length === 0 ? fitAlone(view) : view;
      room -= wireBytes(task);
      if (kept.length > 0 && room < 0) {
        return { tasks: inShownOrder(kept), cutAfter: (listed[kept.length - 1] as Listed).at };
      }
      kept.push({ task, shown: positionOf(head) });
    }
  }
  return { tasks: inShownOrder(kept) };
}

function inShownOrder(kept: readonly { readonly task: Task; readonly shown: ListPosition }[]): readonly Task[] {
  return [...kept].sort((a, b) => inListOrder(a.shown, b.shown)).map(({ task }) => task);
}

/** Without its oldest messages, if need be. @throws ProtocolError UNSUPPORTED_OPERATION when that is not enough */
function fitAlone(task: Task): Task {
  try {
    return fitTask(task);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw new ProtocolError(
      cause.reason,
      `Task ${task.id} with its artifacts is too large for one response; list without artifacts`,
      { metadata: cause.metadata, cause },
    );
  }
}

function positionOf(head: TaskHead): ListPosition {
  return { atMs: head.status.atMs, taskId: head.taskId };
}
