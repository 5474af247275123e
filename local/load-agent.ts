/** Finds the agent that a module exports: the agent itself, or a function of the place it runs in that makes one. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent } from '../core/ports.ts';
import { UserError } from './user-error.ts';

/** What an agent may need to know of where it runs. */
export interface AgentPlace {
  /** A folder for what the agent itself keeps. */
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws `UserError` when the module is missing, does not load, or exports no agent. */
export async function loadAgent(path: string, place: AgentPlace): Promise<Agent> {
  const file = resolve(path);
  let exported: { readonly default?: unknown };
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new UserError(`The agent ${path} cannot be loaded: ${firstLine(error)}`, { cause: error });
  }
  const { default: found } = exported;
  const agent: unknown = typeof found === 'function' ? await found(place) : found;
  if (isAgent(agent)) return agent;
  throw new UserError(`The agent ${path} must export an agent by default: export default defineAgent({...}).`);
}

function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'run' in value && 'card' in value && 'name' in value;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
