/** Steps of a world that tests tell one after the other, each run to its end before the next. */
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Message, Task } from '../../core/message.ts';
import { viewTask } from '../../core/view/view-task.ts';
import type { AgentUnderTest } from './agents.ts';
import { checkCalls } from './call-properties.ts';
import { FIRST, messageFor, request, type Saying } from './callers.ts';
import { checkEnd, entriesOf, receivedIn } from './end-properties.ts';
import { workOff } from './heal.ts';
import type { Actor } from './scheduler.ts';
import { checkTrace } from './trace-properties.ts';
import { type AgentMaker, World } from './world.ts';

/** A task that has asked its first question. */
export async function asked(make: AgentMaker): Promise<World> {
  const world = new World(make);
  await world.send(request(FIRST));
  await workOff(world);
  return world;
}

/** Sends a message for what is on show now; it does not go beyond its first gate yet. */
export async function says(world: World, saying: Saying, messageId: string): Promise<Actor> {
  return world.send(request(toOpen(world, saying, messageId)));
}

export function toOpen(world: World, saying: Saying, messageId: string): Message {
  if (!world.head) throw new Error('there is no task yet');
  return messageFor(world.head, saying, messageId);
}

/** Sends a message and lets its call end, and no turn begin. */
export async function said(world: World, saying: Saying, messageId: string): Promise<Actor> {
  const actor = await says(world, saying, messageId);
  await world.scheduler.drain();
  return actor;
}

/** What a caller was told: the task's state, with whose message won; or the reason of the error. */
export function told(actor: Actor): string {
  const { outcome } = actor;
  if (!outcome) return 'nothing';
  if ('error' in outcome) return String((outcome.error as { reason?: string }).reason ?? outcome.error);
  const { task } = outcome.value as { task?: Task };
  const shown = task ?? (outcome.value as Task);
  const own = Object.values(shown.metadata ?? {}).find(isJsonObject);
  const won = own?.answeredBy === undefined ? '' : `, answered by ${String(own.answeredBy)}`;
  return `${shown.status.state.replace('TASK_STATE_', '')}${won}`;
}

export function errorText(actor: Actor): string {
  return actor.outcome && 'error' in actor.outcome ? String((actor.outcome.error as Error).message) : '';
}

export async function view(world: World): Promise<Task> {
  if (!world.head) throw new Error('there is no task yet');
  return viewTask(world.store, world.head, 1_000);
}

/** State, artifacts' data and ids said, as a test names them: question ids without the task's part. */
export async function ending(world: World) {
  const task = await view(world);
  return {
    state: task.status.state,
    artifacts: (task.artifacts ?? []).map(({ parts }) => parts[0]?.data as Json),
    ledger: [...world.ledger.values()],
    history: (task.history ?? []).map(({ messageId }) => messageId.replace(/^([qs])-.*-(\d+)$/, '$1-$2')),
  };
}

export function question(world: World): string {
  return world.head?.ask?.questionId.replace(/^q-.*-/, 'q-') ?? 'none';
}

/** How often a turn was begun. */
export function claims(world: World, turn: number): number {
  return world.commits.filter(
    ({ head }, index) =>
      head.turn.n === turn &&
      head.turn.phase === 'running' &&
      head.turn.attempts !== world.commits[index - 1]?.head.turn.attempts,
  ).length;
}

export function recordedIds(world: World): readonly string[] {
  return entriesOf(world.commits).flatMap((entry) => receivedIn(entry)?.messageId ?? []);
}

/** All properties of the model, on a world that a test has driven by hand. */
export async function checkAll(world: World, agent: AgentUnderTest): Promise<void> {
  checkTrace(world.commits);
  checkCalls(world);
  await checkEnd(world, agent);
}
