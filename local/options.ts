/** What the program takes from its command line and environment. */
import { parseArgs } from 'node:util';
import { EXAMPLES } from './examples.ts';
import { UserError } from './user-error.ts';

export const HELP = `Runs an agent on this machine, without AWS.

  --port <number>   where to listen (default 3000, or PORT; 0 takes any free port)
  --data <folder>   where everything is kept (default .askback, or ASKBACK_DATA)
  --agent <module>  the agent to run (default: the expense agent of the examples)
  --example <name>  an agent of the examples: expense, booking or finance (which has the expense
                    agent beside it, on the next port)
  --help            this text

By npm, options follow two dashes: npm start -- --port 3001 --data other-folder`;

export interface StartOptions {
  readonly port: number;
  readonly data: string;
  /** Undefined: an example. */
  readonly agent: string | undefined;
  /** A name in `EXAMPLES`; the expense agent where nothing is said. */
  readonly example: string;
  readonly help: boolean;
}

/** Throws `UserError` for an option that is not known or has no sense. */
export function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): StartOptions {
  const values = parse(args);
  const agent = given(values.agent, '--agent');
  const example = given(values.example, '--example');
  if (agent !== undefined && example !== undefined) throw new UserError('Either --agent or --example, not both.');
  if (example !== undefined && !Object.hasOwn(EXAMPLES, example)) {
    throw new UserError(
      `There is no example ${JSON.stringify(example)}; there are ${Object.keys(EXAMPLES).join(', ')}.`,
    );
  }
  return {
    port: portOf(values.port ?? (env.PORT || '3000'), values.port === undefined ? 'PORT' : '--port'),
    data: given(values.data, '--data') ?? (env.ASKBACK_DATA || '.askback'),
    agent,
    example: example ?? 'expense',
    help: values.help === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        agent: { type: 'string' },
        example: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error);
    throw new UserError(`${message}. Try npm start -- --help`, { cause: error });
  }
}

function portOf(text: string, name: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new UserError(`${name} must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

function given(value: string | undefined, name: string): string | undefined {
  if (value === '') throw new UserError(`${name} must not be empty.`);
  return value;
}
