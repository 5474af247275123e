/**
 * Goes on with a task that a process let go of: from any process, exactly once. Two guards: the record is claimed in
 * one conditional write before an answer goes out, and the answer's message id is the same whoever sends it, so that
 * the agent takes a second one for a repeat even where a process died between the two.
 */
import type { Client } from '@a2a-js/sdk/client';
import type { AgentCalls } from './agent-calls.ts';
import { InvalidAnswerError, NotPendingError } from './errors.ts';
import { pendingHooks } from './pending-hooks.ts';
import { PendingRecord } from './pending-record.ts';
import type { PendingStore, PendingTask } from './pending-store.ts';
import { questionKey } from './question-key.ts';
import { replyTo } from './resolve.ts';
import { type Progress, RunLoop } from './run-loop.ts';
import { loopOptions, openCalls, type RunOptions } from './run-task.ts';
import type { Outcome, Resolution, Resolver } from './types.ts';

/**
 * Who answers: what somebody said already, or resolvers as for `runTask`. What was said answers the stored question
 * and no other; if the task asks something else by now, the outcome is `needs-input` with that question.
 */
export type ResumeAnswer = Exclude<Resolution, string> | readonly Resolver[];

export type ResumeOptions = Pick<RunOptions, 'onQuestion' | 'onUpdate' | 'signal' | 'clock' | 'maxRounds'>;

/**
 * @param taskId of a record in the store, written by `runTask` or by this
 * @throws NotPendingError, InvalidAnswerError (the question is still open then), and what `runTask` throws
 */
export async function resumeTask(
  client: Client,
  pending: PendingStore,
  taskId: string,
  answer: ResumeAnswer,
  options: ResumeOptions = {},
): Promise<Outcome> {
  const calls = await openCalls(client, options);
  const record = await PendingRecord.read(pending, taskId);
  const stored = checkStored(record.task, taskId, calls);
  const said = Array.isArray(answer) ? undefined : saidTo(stored, answer as Exclude<Resolution, string>);
  const resolvers = said ? [] : (answer as readonly Resolver[]);
  const loop = loopOptions(options, resolvers, stored.maxRounds);
  const progress: Progress = { rounds: stored.rounds, declined: stored.declined === true };
  const run: RunLoop = new RunLoop(
    calls,
    loop,
    progress,
    pendingHooks(record, calls, { progress, loop, run: () => run }),
  );
  const { view } = run.follower;
  view.generation = stored.generation;
  const { status } = await run.follower.look(taskId);
  const asks = status.state === 'TASK_STATE_INPUT_REQUIRED' && questionKey(status) === stored.question?.key;
  if (said && stored.question && asks) {
    await run.send(stored.question, said).catch((error: unknown) => {
      run.follower.close();
      throw error;
    });
  }
  return run.run();
}

function checkStored(task: PendingTask | undefined, taskId: string, calls: AgentCalls): PendingTask {
  if (!task) throw new NotPendingError(taskId, 'unknown');
  if (task.state === 'done') throw new NotPendingError(taskId, 'done');
  if (!sameAgent(task, calls)) throw new NotPendingError(taskId, 'other-agent');
  return task;
}

/** An answer must not reach another agent because it has a task of the same id. */
function sameAgent({ agent }: PendingTask, calls: AgentCalls): boolean {
  return agent.url === calls.agent.url;
}

function saidTo({ question, state, taskId }: PendingTask, answer: Exclude<Resolution, string>) {
  if (!question || state === 'working') throw new NotPendingError(taskId, 'taken');
  const fitting = replyTo(question, answer);
  if (!fitting.ok) throw new InvalidAnswerError(fitting.errors);
  return fitting.reply;
}
