/** `askback send`: starts a task, answers its questions, prints its result. */
import { runTask } from '../../run-task.ts';
import { agentUrl, openAgent } from '../agent.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type LoginOptions, loginOf } from '../login.ts';
import type { Output } from '../output.ts';
import { partsOf } from '../parts.ts';
import { requestLine } from '../render-task.ts';
import { type RunSettings, runWithTerminal } from '../run.ts';
import type { World } from '../world.ts';

export interface SendOptions extends LoginOptions, RunSettings {
  readonly file?: readonly string[];
  readonly data?: readonly string[];
  readonly context?: string;
  readonly messageId?: string;
}

export async function send(
  url: string,
  text: string | undefined,
  options: SendOptions,
  world: World,
  out: Output,
): Promise<ExitCode> {
  const address = agentUrl(url);
  const parts = await partsOf({ text, files: options.file ?? [], data: options.data ?? [] }, world);
  const agent = await openAgent(address, loginOf(options), world);
  const message = {
    parts,
    ...(options.context === undefined ? {} : { contextId: options.context }),
    ...(options.messageId === undefined ? {} : { messageId: options.messageId }),
  };
  const settings = { ...options, request: requestLine(parts) };
  return runWithTerminal(agent, settings, world, out, ({ resolvers, options: run }) =>
    runTask(agent.client, message, { ...run, resolvers }),
  );
}
