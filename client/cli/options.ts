/** Numbers and texts of the command line, and the options that several commands have. */
import type { Command } from 'commander';
import { misused } from './failures.ts';

/** Answers the program sends for one task before it gives up. */
export const DEFAULT_ROUNDS = 10;

export function withLogin(command: Command): Command {
  return command
    .option('--bearer-env <name>', 'the environment variable that holds a bearer token')
    .option('--bearer-file <path>', 'the file that holds a bearer token')
    .option(
      '--aws-region <region>',
      'signs with the AWS credentials of the environment, for an agent behind IAM there',
    );
}

export function withTask(command: Command): Command {
  return withLogin(command.option('--url <url>', 'the agent of the task; default: as remembered'));
}

export function withRun(command: Command): Command {
  return command
    .option('--policy <file>', 'rules that answer questions (JSON); what they leave open is asked here')
    .option('--detach', 'ask nobody here: keep an open question for later and end with 3')
    .option('--max-rounds <n>', 'answers to send before giving up and canceling the task', rounds, DEFAULT_ROUNDS);
}

export function several(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function rounds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000) return value;
  throw misused(`--max-rounds must be a whole number from 1 to 1000, not ${text}`);
}
