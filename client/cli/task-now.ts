/** Reads a task, and puts its open question where the loop can take it up. */
import { isTerminal } from '../../core/message.ts';
import type { PendingStore } from '../pending-store.ts';
import { readQuestion } from '../read-question.ts';
import type { OpenQuestion, Task } from '../types.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailed } from './failures.ts';
import { howToWatch } from './outcome.ts';
import { stateWord } from './render-task.ts';
import { failureAt, type TaskPlace } from './tasks.ts';

/**
 * @param messages how many of its history
 * @throws CommandFailed
 */
export async function readTask(place: TaskPlace, messages = 0): Promise<Task> {
  try {
    return await place.agent.calls.get(place.taskId, messages);
  } catch (error) {
    throw failureAt(place, error);
  }
}

/** @throws CommandFailed when the task asks nothing now */
export function openQuestionOf(task: Task, { agent }: TaskPlace): OpenQuestion {
  const { state } = task.status;
  if (state === 'TASK_STATE_INPUT_REQUIRED') return readQuestion(task, agent.identity);
  const how = isTerminal(state) ? `See how it ended: askback history ${task.id}` : `Follow it: ${howToWatch(task.id)}`;
  throw new CommandFailed(EXIT.refused, `the task asks nothing now: it is ${stateWord(state)}`, { advice: how });
}

/** The question as it is now takes the place of what was kept, unless somebody is about to answer it. */
export async function keepOpen(
  store: PendingStore,
  question: OpenQuestion,
  maxRounds: number,
  nowMs: number,
): Promise<void> {
  const stored = await store.get(question.taskId);
  const before = stored?.task;
  if (before?.state === 'claimed' && (before.claimedUntilMs ?? 0) > nowMs) return;
  if (before?.state === 'waiting' && before.question?.key === question.key) return;
  const { taskId, contextId, agent } = question;
  const task = {
    taskId,
    contextId,
    agent,
    question,
    state: 'waiting',
    rounds: 0,
    maxRounds,
    savedAtMs: nowMs,
  } as const;
  // Who was quicker has written the same.
  await store.write(before?.declined ? { ...task, declined: true } : task, stored?.version);
}

/** Nobody needs to answer it any more. Never fails a command: the list of open questions is a convenience. */
export async function settle(store: PendingStore, { taskId, agent }: TaskPlace, nowMs: number): Promise<void> {
  try {
    const stored = await store.get(taskId);
    if (!stored || stored.task.state === 'done' || stored.task.agent.url !== agent.identity.url) return;
    const { question: _question, claimedUntilMs: _claimed, ...task } = stored.task;
    await store.write({ ...task, state: 'done', savedAtMs: nowMs }, stored.version);
  } catch {
    // It is listed a while longer.
  }
}
