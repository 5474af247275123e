/** `askback answer` and `askback decline`: settle the open question of a task, and follow it on. */
import { isTerminal } from '../../../core/message.ts';
import { resumeTask } from '../../resume-task.ts';
import type { OpenQuestion, Outcome } from '../../types.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { misused } from '../failures.ts';
import { fitting, readGiven, type Said, words } from '../given-answer.ts';
import { exitOf } from '../outcome.ts';
import type { Output } from '../output.ts';
import { objectOf } from '../parts.ts';
import { canAsk, pendingStore, type Run, type RunSettings, runWithTerminal } from '../run.ts';
import { keepOpen, openQuestionOf, readTask, settle } from '../task-now.ts';
import { openTask, rememberTasks, type TaskOptions, type TaskPlace } from '../tasks.ts';
import type { World } from '../world.ts';

export interface AnswerOptions extends TaskOptions, RunSettings {
  readonly data?: string;
  readonly text?: string;
}

export interface DeclineOptions extends TaskOptions, RunSettings {
  readonly reason?: string;
}

/** What was said answers the question that is open now; questions after it are asked as `send` does. */
export async function answer(
  id: string,
  value: string | undefined,
  options: AnswerOptions,
  world: World,
  out: Output,
): Promise<ExitCode> {
  if ([value, options.data, options.text].filter((given) => given !== undefined).length > 1) {
    throw misused('a value, --data and --text exclude each other');
  }
  const place = await openTask(id, options, world);
  const question = await takeUp(place, options, world);
  const said = await saidBy(question, value, options, world);
  if (!said && !options.policy && !canAsk(options, world, out)) {
    throw misused('an answer is needed, and nobody can be asked here', `As in: askback answer ${id} <value>`);
  }
  return runWithTerminal(place.agent, options, world, out, (run) => resume(place, said, run));
}

/** Ends with 0 when the refusal was taken, whatever the agent made of it. */
export async function decline(id: string, options: DeclineOptions, world: World, out: Output): Promise<ExitCode> {
  const place = await openTask(id, options, world);
  await takeUp(place, options, world);
  const { reason } = options;
  const said = { decline: reason === undefined ? {} : { reason } };
  const exit = (outcome: Outcome) => (outcome.kind === 'declined' ? EXIT.completed : exitOf(outcome));
  return runWithTerminal(
    place.agent,
    { ...options, detach: true },
    world,
    out,
    (run) => resume(place, said, run),
    exit,
  );
}

async function takeUp(place: TaskPlace, { maxRounds }: RunSettings, world: World): Promise<OpenQuestion> {
  const task = await readTask(place);
  if (isTerminal(task.status.state)) await settle(pendingStore(world), place, world.now());
  const question = openQuestionOf(task, place);
  await rememberTasks([{ taskId: place.taskId }], place.agent, world);
  await keepOpen(pendingStore(world), question, maxRounds, world.now());
  return question;
}

async function saidBy(
  question: OpenQuestion,
  value: string | undefined,
  { data, text }: AnswerOptions,
  world: World,
): Promise<Said | undefined> {
  if (data !== undefined) return fitting(question, await objectOf(data, world));
  if (text !== undefined) return words(text);
  if (value === undefined) return undefined;
  return readGiven(question, value === '-' ? (await world.readInput()).trimEnd() : value);
}

/** What was said goes first; if the task asks on, whoever is there is asked. */
async function resume(
  { taskId, agent }: TaskPlace,
  said: Said | { readonly decline: { readonly reason?: string } } | undefined,
  { resolvers, options: { pending, ...options } }: Run,
): Promise<Outcome> {
  if (!said) return resumeTask(agent.client, pending, taskId, resolvers, options);
  const outcome = await resumeTask(agent.client, pending, taskId, said, options);
  if (outcome.kind !== 'needs-input' || resolvers.length === 0) return outcome;
  return resumeTask(agent.client, pending, taskId, resolvers, options);
}
