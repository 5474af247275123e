/** `askback answer` and `askback decline`: settle the open question of a task, and follow it on. */
import { isTerminal, type Message, type Task } from '../../../core/message.ts';
import { authDecline } from '../../answer-message.ts';
import { readAuthNeeds } from '../../auth-needs.ts';
import { resumeTask } from '../../resume-task.ts';
import { runTask } from '../../run-task.ts';
import type { OpenQuestion, Outcome } from '../../types.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CommandFailed, misused } from '../failures.ts';
import { fitting, readGiven, type Said, words } from '../given-answer.ts';
import { DEFAULT_ROUNDS } from '../options.ts';
import { exitOf, shellWord } from '../outcome.ts';
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

export interface DeclineOptions extends TaskOptions {
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
  const question = await takeUp(await readTask(place), place, options, world);
  const said = await saidBy(question, value, options, world);
  if (!said && !options.policy && !canAsk(options, world, out)) {
    throw misused('an answer is needed, and nobody can be asked here', `As in: askback answer ${id} <value>`);
  }
  return runWithTerminal(place.agent, options, world, out, (run) => resume(place, said, run));
}

/** Ends with 0 when the refusal was taken, whatever the agent made of it. */
export async function decline(id: string, options: DeclineOptions, world: World, out: Output): Promise<ExitCode> {
  const place = await openTask(id, options, world);
  const task = await readTask(place);
  const { reason } = options;
  const decline = reason === undefined ? {} : { reason };
  const exit = (outcome: Outcome) => (outcome.kind === 'declined' ? EXIT.completed : exitOf(outcome));
  const settings = { ...options, maxRounds: DEFAULT_ROUNDS, detach: true };
  if (task.status.state === 'TASK_STATE_AUTH_REQUIRED') {
    const message = authDeclineOf(task, place, decline);
    return runWithTerminal(place.agent, settings, world, out, (run) => sendOn(place, message, run, world), exit);
  }
  await takeUp(task, place, settings, world);
  return runWithTerminal(place.agent, settings, world, out, (run) => resume(place, { decline }, run), exit);
}

/** @throws CommandFailed when the agent names nothing that could be declined */
function authDeclineOf(task: Task, { agent }: TaskPlace, decline: { readonly reason?: string }): Message {
  const { authId } = readAuthNeeds(task.status, agent.identity.url);
  if (authId !== undefined) return authDecline(task, authId, decline);
  throw new CommandFailed(EXIT.refused, 'the task waits for a credential, and its agent says of no way to decline it', {
    advice: `To end the task: askback cancel ${shellWord(task.id)}`,
    taskId: task.id,
  });
}

/** A task that ends after our refusal was declined, as with a question. */
async function sendOn({ agent, ...place }: TaskPlace, message: Message, run: Run, world: World): Promise<Outcome> {
  const outcome = await runTask(agent.client, message, { ...run.options, resolvers: run.resolvers });
  if ('task' in outcome) await settle(run.options.pending, { agent, ...place }, world.now());
  switch (outcome.kind) {
    case 'failed':
    case 'rejected':
    case 'canceled':
      return { ...outcome, kind: 'declined' };
    default:
      return outcome;
  }
}

async function takeUp(task: Task, place: TaskPlace, { maxRounds }: RunSettings, world: World): Promise<OpenQuestion> {
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
