/**
 * `askback redrive`: sends the dead letters of an agent back, once their cause is mended (docs/operations.md). Safe at
 * any time: a turn that is over is acknowledged and changes nothing, a receiver is told what it has not been told.
 */
import { errorText } from '../core/error-text.ts';
import { parseArgs } from 'node:util';
import { findDeadLetterQueues, nameOf, type RedriveClient, readDeadLetterQueue, startRedrive } from '../aws/redrive.ts';

export interface World {
  /** @param region undefined: what the environment says */
  connect(region: string | undefined): RedriveClient;
  out(line: string): void;
  err(line: string): void;
}

/** 2 is a command line that means nothing; 1 is everything that AWS or the stack is the reason of. */
const EXIT = { done: 0, failed: 1, misused: 2 } as const;

const HELP = `Usage: askback redrive <stack> [options]
       askback redrive --queue-url <url> [options]

Sends dead turns and dead push notifications back to the queues they came from.

  <stack>            the name of a CloudFormation stack with an agent in it, such as askback-expense-agent
  --queue-url <url>  a dead-letter queue, instead of a stack; may be repeated
  --region <region>  default: what the environment says (AWS_REGION, profile)
  --dry-run          says what would go back, and moves nothing
  --help

Ends with 0 when everything is on its way or nothing had to go, with 1 when something could not be sent back, and with
2 when the command line is wrong.`;

interface Command {
  readonly stack: string | undefined;
  readonly urls: readonly string[];
  readonly region: string | undefined;
  readonly dryRun: boolean;
}

/** @returns the exit code */
export async function runProgram(args: readonly string[], world: World): Promise<number> {
  let command: Command | 'help';
  try {
    command = readCommand(args);
  } catch (error) {
    world.err(`askback: ${messageOf(error)}\n\n${HELP}`);
    return EXIT.misused;
  }
  if (command === 'help') {
    world.out(HELP);
    return EXIT.done;
  }
  try {
    return await redrive(command, world);
  } catch (error) {
    world.err(`askback: ${messageOf(error)}`);
    return EXIT.failed;
  }
}

function readCommand(args: readonly string[]): Command | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'queue-url': { type: 'string', multiple: true },
      region: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [name, stack, ...more] = positionals;
  if (name !== 'redrive') throw new Error(name === undefined ? 'a command is missing' : `there is no command ${name}`);
  if (more.length > 0) throw new Error(`one stack at a time: ${more.join(' ')} is too much`);
  const urls = values['queue-url'] ?? [];
  if ((stack === undefined) === (urls.length === 0)) throw new Error('give either a stack or --queue-url');
  const wrong = urls.find((url) => !/^https?:\/\/\S+\/\S+$/.test(url));
  if (wrong !== undefined) throw new Error(`--queue-url ${wrong} is no address`);
  return { stack, urls, region: values.region, dryRun: values['dry-run'] };
}

/** One queue that fails keeps no other from being sent back. */
async function redrive({ stack, urls, region, dryRun }: Command, world: World): Promise<number> {
  // The SDK would print a page about Node versions first.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const client = world.connect(region);
  const queues = stack === undefined ? urls : await findDeadLetterQueues(client, stack);
  if (queues.length === 0) {
    world.err(`askback: no dead-letter queue is named after the stack ${stack} in this account and Region.`);
    world.err(
      'With the right Region and a name of more than about 35 characters, take the stack’s outputs: --queue-url.',
    );
    return EXIT.failed;
  }
  let failed = false;
  for (const url of queues) {
    try {
      world.out(`${nameOf(url)}: ${await redriveOne(client, url, dryRun)}`);
    } catch (error) {
      failed = true;
      world.err(`${nameOf(url)}: ${messageOf(error)}`);
    }
  }
  return failed ? EXIT.failed : EXIT.done;
}

async function redriveOne(client: RedriveClient, url: string, dryRun: boolean): Promise<string> {
  const queue = await readDeadLetterQueue(client, url);
  const { messages, source } = queue;
  if (source === undefined) {
    throw new Error('not the dead-letter queue of exactly one queue. Dead timers need not go anywhere: delete them.');
  }
  const where = source.slice(source.lastIndexOf(':') + 1);
  if (messages === 0) return 'holds no messages';
  if (dryRun) return `about ${messages} would go to ${where}`;
  const handle = await startRedrive(client, queue);
  return `about ${messages} on their way to ${where} (task ${handle})`;
}

/** The SDK's words for what is commonly missing, in words that say what to do. */
const HINTS: Readonly<Record<string, string>> = {
  'Region is missing': 'no Region is known: give --region, or set AWS_REGION',
  'Could not load credentials from any providers': 'no credentials are found: set AWS_PROFILE, or log in with aws',
};

function messageOf(error: unknown): string {
  const message = errorText(error);
  return HINTS[message] ?? message;
}
