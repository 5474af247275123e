/**
 * For tests of streams: readers driven by the manual clock, and events written by hand as another instance would, which
 * wakes nobody here.
 */

import type { Message, StreamResponse, TaskState } from '../../../core/message.ts';
import {
  type StreamItem,
  type StreamOptions,
  streamMessage,
  subscribeToTask,
} from '../../../core/operations/stream-task.ts';
import type { TaskHead } from '../../../core/task.ts';
import { append, type Draft, draftOf, moveTo, set } from '../../../core/transition/draft.ts';
import { done, moveOut } from '../../../core/transition/move-out.ts';
import type { ManualClock } from '../../fakes/manual-clock.ts';
import { settle } from '../../fakes/manual-clock.ts';
import type { MemoryTaskStore } from '../../fakes/memory-store.ts';
import { MemoryWake } from '../../fakes/memory-wake.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, request, world } from './world.ts';

const HOUR_MS = 3_600_000;

/** An agent's world, and another instance of the api in front of the same store: writes of the first do not wake it. */
export function twoInstances(agent = tinyAgent()) {
  const one = world(agent);
  const other = { ...one.deps, wake: new MemoryWake(one.deps.clock) };
  const { store, clock } = one.deps;
  return {
    ...one,
    store,
    clock,
    stream: (message: Omit<Message, 'role'>, options?: StreamOptions) =>
      streamMessage(other, alice, { message: { ...message, role: 'ROLE_USER' } }, options),
    subscribe: (id: string, options?: StreamOptions) => subscribeToTask(other, alice, { id }, options),
    /** A task that waits for its answer since an hour. */
    async paused() {
      await one.send(request);
      await one.deliver();
      await clock.advance(HOUR_MS);
      return one.send(request);
    },
    loads: () => store.calls.filter(({ op }) => op === 'load').length,
  };
}
/** Lets time pass until the promise has settled. */
export async function inTime<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const watched = promise.finally(() => {
    settled = true;
  });
  watched.catch(() => undefined);
  for (let idle = 0; !settled && idle < 1_000; idle += 1) {
    await settle();
    if (settled || clock.nextWakeAtMs === undefined) continue;
    await clock.advanceTo(clock.nextWakeAtMs);
    idle = 0;
  }
  return watched;
}

/** Reads to the end, or until `enough`; then leaves as a reader does. */
export async function read(
  stream: AsyncIterable<StreamItem>,
  enough: (items: readonly StreamItem[]) => boolean = () => false,
): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const item of stream) {
    items.push(item);
    if (enough(items)) break;
  }
  return items;
}

/** A stream in short: `1 task SUBMITTED`, `2 status WORKING`, `- task`, `5 artifact a`, `: heartbeat`. */
export function brief(items: readonly StreamItem[]): string[] {
  return items.map((item) => ('comment' in item ? `: ${item.comment}` : `${item.id ?? '-'} ${kind(item.event)}`));
}

function kind(event: StreamResponse): string {
  const short = (state: TaskState) => state.replace('TASK_STATE_', '');
  if ('task' in event) return `task ${short(event.task.status.state)}`;
  if ('message' in event) return 'message';
  if ('artifactUpdate' in event) return `artifact ${event.artifactUpdate.artifact.artifactId}`;
  return `status ${short(event.statusUpdate.status.state)}`;
}

/** One write of the head. */
export async function write(store: MemoryTaskStore, taskId: string, change: (draft: Draft) => void): Promise<TaskHead> {
  const head = store.peek(taskId);
  if (!head) throw new Error(`no task ${taskId}`);
  const draft = draftOf(head, head.status.atMs);
  change(draft);
  moveOut(draft);
  const next = done(draft);
  if (!next.ok) throw new Error('refused');
  return store.save(head, next.head, next.children);
}

/** A status event, at the given time. */
export function status(store: MemoryTaskStore, taskId: string, state: TaskState, atMs: number): Promise<TaskHead> {
  return write(store, taskId, (draft) => moveTo(Object.assign(draft, { nowMs: atMs }), state));
}

/** An artifact event whose content stands in the log itself. */
export function artifact(store: MemoryTaskStore, taskId: string, artifactId: string, atMs: number): Promise<TaskHead> {
  const value = {
    artifact: { artifactId, parts: [{ text: artifactId.padEnd(300, '.') }] },
    append: false,
    lastChunk: true,
  };
  return write(store, taskId, (draft) => {
    const seq = append(Object.assign(draft, { nowMs: atMs }), { artifact: { value } }, true);
    set(draft, { firstArtifactSeq: draft.head.firstArtifactSeq ?? seq });
  });
}
