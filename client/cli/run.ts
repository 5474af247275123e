/** What `send`, `answer` and `decline` share: the library's loop with a terminal around it. */
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { AgentUnreachableError, GaveUpError, InvalidAnswerError, NotPendingError } from '../errors.ts';
import { fromPolicy } from '../from-policy.ts';
import { FilePendingStore } from '../pending-file.ts';
import { type PolicyRule, readPolicy } from '../policy-rules.ts';
import type { Outcome, Resolver } from '../types.ts';
import type { RunOptions } from '../run-task.ts';
import type { Agent } from './agent.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { CommandFailed, failureOf, misused } from './failures.ts';
import { exitOf, howToAnswer, howToWatch, outcomeObject, printOutcome, shellWord } from './outcome.ts';
import type { Output } from './output.ts';
import { askPerson } from './person.ts';
import { textIn } from './read-file.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { stateFolder } from './task-book.ts';
import { rememberTasks } from './tasks.ts';
import type { World } from './world.ts';

export interface RunSettings {
  /** A file with rules. */
  readonly policy?: string;
  /** Nobody is asked here: an open question is kept for later. */
  readonly detach?: boolean;
  readonly maxRounds: number;
  /** The first line of what is asked for, where this run starts a task. */
  readonly request?: string | undefined;
}

export interface Run {
  readonly resolvers: readonly Resolver[];
  readonly options: Required<Pick<RunOptions, 'onQuestion' | 'onUpdate' | 'signal' | 'pending' | 'maxRounds'>>;
}

export function pendingStore(world: World): FilePendingStore {
  return new FilePendingStore(join(stateFolder(world.env, world.homeFolder), 'pending'));
}

/**
 * @param start runs the loop with what it is given
 * @param exit what a settled outcome means for this command; default: the table of exit codes
 */
export async function runWithTerminal(
  agent: Agent,
  settings: RunSettings,
  world: World,
  out: Output,
  start: (run: Run) => Promise<Outcome>,
  exit: (outcome: Outcome) => ExitCode = exitOf,
): Promise<ExitCode> {
  let left = false;
  let remembered: Promise<void> = Promise.resolve();
  const reporter = createReporter(agent.identity, world, out, {
    onTask: (taskId) => {
      remembered = rememberTasks([{ taskId, request: settings.request }], agent, world);
    },
    asksHere: canAsk(settings, world, out),
  });
  const onLeave = () => {
    left = true;
  };
  const resolvers = await resolversOf(settings, world, out, { reporter, onLeave });
  const options = {
    onQuestion: reporter.question,
    onUpdate: reporter.update,
    signal: world.interrupted,
    pending: pendingStore(world),
    maxRounds: settings.maxRounds,
  };
  try {
    const outcome = await start({ resolvers, options });
    const code = left && outcome.kind === 'needs-input' ? EXIT.interrupted : exit(outcome);
    printOutcome(outcome, out);
    out.object(outcomeObject(outcome, code));
    return code;
  } catch (error) {
    throw world.interrupted.aborted ? interruptedAt(reporter.taskId) : failureOfRun(error, agent, reporter.taskId);
  } finally {
    await remembered;
  }
}

async function resolversOf(
  settings: RunSettings,
  world: World,
  out: Output,
  { reporter, onLeave }: { readonly reporter: Reporter; readonly onLeave: () => void },
): Promise<Resolver[]> {
  const { policy } = settings;
  const rules = policy === undefined ? [] : [fromPolicy(await policyFile(policy), { onRule: reporter.rule })];
  const person = canAsk(settings, world, out) && world.prompter ? [askPerson(world.prompter, out, onLeave)] : [];
  return [...rules, ...person];
}

/** A program that reads objects is never asked. */
export function canAsk({ detach }: Pick<RunSettings, 'detach'>, world: World, out: Output): boolean {
  return !detach && !out.json && world.prompter !== undefined;
}

async function policyFile(path: string): Promise<readonly PolicyRule[]> {
  const text = await textIn(path, 'the policy');
  try {
    return readPolicy(JSON.parse(text));
  } catch (error) {
    throw misused(`the policy ${path} cannot be used: ${errorText(error)}`);
  }
}

function interruptedAt(taskId: string | undefined): CommandFailed {
  if (taskId === undefined) return new CommandFailed(EXIT.interrupted, 'interrupted before the agent named a task');
  return new CommandFailed(EXIT.interrupted, `interrupted; task ${cleanLine(taskId)} goes on`, {
    advice: `To follow it: ${howToWatch(taskId)}. To end it: askback cancel ${shellWord(taskId)}`,
    taskId,
  });
}

function failureOfRun(error: unknown, agent: Agent, known: string | undefined): CommandFailed {
  if (error instanceof GaveUpError) {
    return new CommandFailed(EXIT.gaveUp, error.message, {
      advice: 'More answers are sent with --max-rounds.',
      taskId: error.taskId,
      cause: error,
    });
  }
  if (error instanceof InvalidAnswerError) return new CommandFailed(EXIT.usage, error.message, { cause: error });
  if (error instanceof NotPendingError) return new CommandFailed(EXIT.refused, error.message, { cause: error });
  if (error instanceof AgentUnreachableError) {
    const taskId = error.taskId ?? known;
    const advice =
      taskId === undefined
        ? 'Is the address right, and the agent running? The same command may be given again.'
        : `The task goes on without us. To follow it: ${howToWatch(taskId)}. ${howToAnswer(taskId)}`;
    return new CommandFailed(EXIT.unreachable, cleanLine(error.message, 1000), {
      advice,
      ...(taskId === undefined ? {} : { taskId }),
      cause: error,
    });
  }
  return failureOf(error, agent.identity.url);
}
