/** Which task is meant, of which agent, and with whose credentials: what a command says, else what is remembered. */
import { cleanLine } from '../../core/clean-text.ts';
import { type Agent, agentUrl, openAgent } from './agent.ts';
import { CommandFailed, failureOf, isNotFound, misused } from './failures.ts';
import { type LoginOptions, loginOf } from './login.ts';
import { ID_CHARS, stateFolder, TaskBook } from './task-book.ts';
import type { World } from './world.ts';

export interface TaskOptions extends LoginOptions {
  readonly url?: string;
}

export interface TaskPlace {
  readonly taskId: string;
  readonly agent: Agent;
  /** Named with --url: the id is taken as it stands. */
  readonly byAddress?: true;
}

export function taskBook(world: World): TaskBook {
  return new TaskBook(stateFolder(world.env, world.homeFolder));
}

/** @throws CommandFailed when it is not known, or not for certain, or its agent is not there */
export async function openTask(id: string, options: TaskOptions, world: World): Promise<TaskPlace> {
  const given = loginOf(options);
  if (options.url !== undefined) {
    const url = agentUrl(options.url);
    const known = (await taskBook(world).find(id)).find((task) => task.url === url);
    return { taskId: id, agent: await openAgent(url, given ?? known?.login, world), byAddress: true };
  }
  const [task, ...more] = await taskBook(world).find(id);
  if (!task && id.length < ID_CHARS) {
    throw misused(
      `"${cleanLine(id)}" is too short to name a task`,
      `Give its id, or the first ${ID_CHARS} characters of it or more; askback inbox lists the open questions.`,
    );
  }
  if (!task) {
    throw misused(
      `task ${cleanLine(id)} is not known here`,
      'Say where it is, as in --url http://localhost:3000. Known are the tasks that this program has sent; askback inbox lists open questions.',
    );
  }
  if (more.length > 0) {
    const meant = [task, ...more].map(({ taskId, url }) => `${taskId} at ${url}`).join(', ');
    throw misused(`${cleanLine(id)} may be one of several tasks: ${meant}`, 'Give the whole id, and --url.');
  }
  return { taskId: task.taskId, agent: await openAgent(task.url, given ?? task.login, world) };
}

/** What an agent's refusal means for the task that was named. */
export function failureAt({ agent, byAddress }: TaskPlace, error: unknown): CommandFailed {
  const failure = failureOf(error, agent.identity.url);
  if (!byAddress || !isNotFound(error)) return failure;
  const advice = `With --url the whole id is needed. ${failure.advice}`;
  return new CommandFailed(failure.exit, failure.message, { advice, cause: error });
}

export interface Remembered {
  readonly taskId: string;
  readonly request?: string | undefined;
}

/** Never fails the command: a task that cannot be remembered is still there with --url. */
export async function rememberTasks(tasks: readonly Remembered[], agent: Agent, world: World): Promise<void> {
  const { name, url } = agent.identity;
  const login = agent.login === undefined ? {} : { login: agent.login };
  const usedAt = new Date(world.now()).toISOString();
  const book = taskBook(world);
  try {
    for (const { taskId, request } of tasks) {
      const about = request === undefined ? {} : { request };
      await book.remember({ taskId, url, agent: name, ...login, ...about, usedAt });
    }
    await book.tidy(world.now());
  } catch {
    // A full disk, a folder that is not ours: the command goes on.
  }
}
