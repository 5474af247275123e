/**
 * `askback watch`: follows a task to its end, through its questions and through cut connections. Answers nothing.
 * Where the agent streams, a stream is taken up again after each cut; otherwise the task is looked at now and then.
 */
import { isTerminal, type StreamResponse, type Task } from '../../../core/message.ts';
import { cleanLine } from '../../../core/clean-text.ts';
import { AgentCalls } from '../../agent-calls.ts';
import { machineClock } from '../../clock.ts';
import { AgentUnreachableError } from '../../errors.ts';
import { endOf } from '../../outcome.ts';
import { readQuestion } from '../../read-question.ts';
import { generationOf } from '../../task-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CommandFailed } from '../failures.ts';
import { exitOf, howToAnswer, howToWatch, outcomeObject, printOutcome } from '../outcome.ts';
import type { Output } from '../output.ts';
import { createReporter, type Reporter } from '../reporter.ts';
import { pendingStore } from '../run.ts';
import { settle } from '../task-now.ts';
import { failureAt, openTask, rememberTasks, type TaskOptions, type TaskPlace } from '../tasks.ts';
import type { World } from '../world.ts';

/** Between looks at an agent that does not stream, and between tries when it cannot be reached. */
const LOOK_MS = 2_000;
/** A stream that ends at once must not be asked for without a pause. */
const AGAIN_MS = 500;
/** Tries in a row that found no agent: about five minutes. */
const MOST_FAILURES = 150;

export async function watch(id: string, options: TaskOptions, world: World, out: Output): Promise<ExitCode> {
  const place = await openTask(id, options, world);
  const { taskId, agent } = place;
  const reporter = createReporter(agent.identity, world, out, { onTask: () => {}, asksHere: false });
  await rememberTasks([{ taskId }], agent, world);
  const task = await untilEnd(place, reporter, world, out);
  if (!task) {
    throw new CommandFailed(EXIT.interrupted, `no longer watching; task ${cleanLine(taskId)} goes on`, {
      advice: `To follow it again: ${howToWatch(taskId)}. ${howToAnswer(taskId)}`,
      taskId,
    });
  }
  await settle(pendingStore(world), place, world.now());
  const outcome = endOf(task, false);
  printOutcome(outcome, out);
  out.object(outcomeObject(outcome));
  return exitOf(outcome);
}

/** Undefined: interrupted. */
async function untilEnd(place: TaskPlace, reporter: Reporter, world: World, out: Output): Promise<Task | undefined> {
  const { interrupted: signal } = world;
  // Patience is this loop's: a look that fails is told, and the next one comes later.
  const calls = await AgentCalls.open(place.agent.client, { clock: machineClock, signal, retryMs: [] });
  const { streams } = calls.agent;
  const told = (event: StreamResponse) => tell(event, place, reporter);
  let failures = 0;
  let generation: number | undefined;
  while (!signal.aborted) {
    try {
      const task = await calls.get(place.taskId);
      told({ task });
      if (failures > 0) out.progress(out.paint('dim', '… the agent is there again'));
      failures = 0;
      if (isTerminal(task.status.state)) return task;
      if (streams) generation = await readStream(place, generation ?? generationOf(task.metadata), told);
      await world.sleep(streams ? AGAIN_MS : LOOK_MS, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = failureAt(place, error);
      failures += 1;
      if (!(error instanceof AgentUnreachableError) || failures >= MOST_FAILURES) throw failure;
      if (failures === 1) out.progress(out.paint('yellow', `… ${failure.message}; trying again`));
      await world.sleep(LOOK_MS, signal);
    }
  }
  return undefined;
}

/**
 * Reads one stream for as long as it lasts. A cut is no error here: the next look at the task tells what is wrong.
 * @param from generation of the newest event that was told
 * @returns the generation of the newest event that is told by now
 */
async function readStream(
  { agent, taskId }: TaskPlace,
  from: number | undefined,
  told: (event: StreamResponse) => void,
): Promise<number | undefined> {
  let newest = from;
  const live = agent.calls.subscribe(taskId, from);
  for (;;) {
    const read = await live.ahead();
    if (read.kind !== 'event') return newest;
    live.take();
    told(read.event);
    // The task comes first and may be ahead of events that were missed and still follow.
    if (!('task' in read.event)) newest = generationOf(contentOf(read.event).metadata) ?? newest;
  }
}

function tell(event: StreamResponse, { agent }: TaskPlace, reporter: Reporter): void {
  reporter.update(event);
  const content = contentOf(event);
  if (!('status' in content) || content.status.state !== 'TASK_STATE_INPUT_REQUIRED') return;
  const id = 'id' in content ? content.id : content.taskId;
  reporter.question(readQuestion({ id, contextId: content.contextId, status: content.status }, agent.identity));
}

function contentOf(event: StreamResponse) {
  if ('task' in event) return event.task;
  if ('statusUpdate' in event) return event.statusUpdate;
  return 'artifactUpdate' in event ? event.artifactUpdate : event.message;
}
