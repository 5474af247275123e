/**
 * The commands of `askback`: what they take and what their help says. What they do stands in commands/, loaded when it
 * is called for. Ends in an exit code, never by ending the process.
 */
import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { CommandFailed, failureObject, failureOf } from './failures.ts';
import { HELP_EXAMPLES, HELP_EXITS } from './help.ts';
import { several, withLogin, withRun, withTask } from './options.ts';
import { createOutput, type Output } from './output.ts';
import type { World } from './world.ts';

/** @param args without node and the program's name */
export async function runProgram(args: readonly string[], version: string, outside: World): Promise<number> {
  // Its own command line, older than the others.
  if (args[0] === 'redrive') return outside.redrive(args);
  const world = interruptible(outside);
  const out = createOutput(world, optionsIn(args).includes('--json'));
  let code: ExitCode = EXIT.completed;
  const program = build(version, world, async (work) => {
    code = await work(out);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return endedByCommander(error, out);
    const failed = failureOf(error);
    const failure = world.interrupted.aborted && failed.exit !== EXIT.interrupted ? INTERRUPTED : failed;
    out.object(failureObject(failure));
    out.error(failure.advice === undefined ? failure.message : `${failure.message}\n${failure.advice}`);
    return failure.exit;
  }
}

/** What stands after two dashes is text. */
function optionsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

const INTERRUPTED = new CommandFailed(EXIT.interrupted, 'interrupted');

/** Whatever waits for an agent or for input ends with Ctrl-C. */
function interruptible(world: World): World {
  const { interrupted } = world;
  const stopped = () =>
    new Promise<never>((_, reject) => {
      if (interrupted.aborted) reject(INTERRUPTED);
      interrupted.addEventListener('abort', () => reject(INTERRUPTED), { once: true });
    });
  return {
    ...world,
    fetch: (input, init) =>
      world.fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, interrupted]) : interrupted }),
    readInput: () => Promise.race([world.readInput(), stopped()]),
  };
}

type Run = (work: (out: Output) => Promise<ExitCode>) => Promise<void>;

/** Commander has printed help, the version, or what is wrong. */
function endedByCommander(error: CommanderError, out: Output): number {
  if (error.exitCode === 0) return EXIT.completed;
  if (error.code !== 'commander.help') {
    out.object(failureObject(new CommandFailed(EXIT.usage, error.message.replace(/^error: /, ''))));
  }
  return EXIT.usage;
}

function build(version: string, world: World, run: Run): Command {
  const program = new Command('askback')
    .description('Talks to A2A agents that ask: sends tasks, answers their questions, shows what became of them.')
    .version(version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      getOutHelpWidth: () => world.out.columns ?? 100,
      getErrHelpWidth: () => world.err.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(text.replace(/^error: /, 'askback: ')),
    })
    .showHelpAfterError("Try 'askback --help', or 'askback <command> --help'.")
    .addHelpText('after', HELP_EXAMPLES.askback ?? '')
    .addHelpText('after', HELP_EXITS);
  addAgentCommands(program, world, run);
  addTaskCommands(program, world, run);
  program
    .command('redrive')
    .description('sends the dead letters of a deployed agent back (has its own --help)')
    .helpOption(false)
    .allowUnknownOption();
  return program;
}

/** A subcommand with `--json` and its examples. */
function add(program: Command, spec: string, description: string): Command {
  const name = spec.split(' ')[0] as string;
  return program
    .command(spec)
    .description(description)
    .option('--json', 'one JSON object in each line, and no prompts')
    .addHelpText('after', HELP_EXAMPLES[name] ?? '');
}

function addAgentCommands(program: Command, world: World, run: Run): void {
  withLogin(add(program, 'card <url>', 'shows who an agent says it is and what it can do')).action((url, options) =>
    run(async (out) => (await import('./commands/card.ts')).showCard(url, options, world, out)),
  );
  withLogin(withRun(add(program, 'send <url> [text]', 'sends a task, answers its questions, prints its result')))
    .option('--file <path>', 'a file to send along; may be repeated', several)
    .option('--data <json>', 'data to send along: JSON, @file, or - for standard input; may be repeated', several)
    .option('--context <id>', 'the context (conversation) that the task belongs to')
    .option('--message-id <id>', 'names the message: the same command twice makes one task')
    .action((url, text, options) =>
      run(async (out) => (await import('./commands/send.ts')).send(url, text, options, world, out)),
    );
  withLogin(
    add(program, 'inbox [url]', 'lists open questions: those left here, and those of the agent at <url>'),
  ).action((url, options) =>
    run(async (out) => (await import('./commands/inbox.ts')).showInbox(url, options, world, out)),
  );
}

function addTaskCommands(program: Command, world: World, run: Run): void {
  withTask(withRun(add(program, 'answer <task> [value]', 'answers the open question of a task, and follows it on')))
    .option('--data <json>', 'the whole answer by its properties: JSON, @file, or - for standard input')
    .option('--text <words>', 'words as they are, unchecked, for an agent that reads texts itself')
    .action((task, value, options) =>
      run(async (out) => (await import('./commands/answer.ts')).answer(task, value, options, world, out)),
    );
  withTask(add(program, 'decline <task>', 'refuses to answer the open question of a task'))
    .option('--reason <text>', 'why; told to the agent')
    .action((task, options) =>
      run(async (out) => (await import('./commands/answer.ts')).decline(task, options, world, out)),
    );
  withTask(add(program, 'cancel <task>', 'ends a task for good')).action((task, options) =>
    run(async (out) => (await import('./commands/cancel.ts')).cancel(task, options, world, out)),
  );
  withTask(add(program, 'history <task>', 'shows all that was said in a task, by whom and when')).action(
    (task, options) =>
      run(async (out) => (await import('./commands/history.ts')).showHistory(task, options, world, out)),
  );
  withTask(add(program, 'watch <task>', 'follows a task to its end, without answering anything')).action(
    (task, options) => run(async (out) => (await import('./commands/watch.ts')).watch(task, options, world, out)),
  );
}
