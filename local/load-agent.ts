/** Finds the agent that a module exports: the agent itself, or a function of the place it runs in that makes one. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Agent } from '../core/agent.ts';
import { placeOf, withCauses } from './error-place.ts';
import { errorCode, UserError } from './user-error.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What an agent may need to know of where it runs. */
export interface AgentPlace {
  /** A folder for what the agent itself keeps. */
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws `UserError` when the module is missing, does not load, or exports no agent; it says where the mistake is. */
export async function loadAgent(path: string, place: AgentPlace): Promise<Agent> {
  const file = resolve(path);
  let agent: unknown;
  try {
    agent = await exportedBy(file, place);
  } catch (error) {
    throw new UserError(`The agent ${path} cannot be loaded: ${whyNot(file, error)}`, { cause: error });
  }
  if (isAgent(agent)) return agent;
  throw new UserError(`The agent ${path} must export an agent by default: export default defineAgent({...}).`);
}

async function exportedBy(file: string, place: AgentPlace): Promise<unknown> {
  const { default: found }: { readonly default?: unknown } = await import(pathToFileURL(file).href);
  return typeof found === 'function' ? found(place) : found;
}

function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'run' in value && 'card' in value && 'name' in value;
}

function whyNot(file: string, error: unknown): string {
  if (!existsSync(file)) return 'there is no such file.';
  if (!(error instanceof Error)) return String(error);
  if (/_NOT_FOUND$/.test(errorCode(error) ?? '') && /'askback(\/agent)?'/.test(error.message)) {
    return `only files inside the Askback folder find askback/agent, since the package is not published yet. Save it in ${ROOT}`;
  }
  // A mistake in the syntax names file and line itself, in lines of its own.
  const place = /:\d+:\d+: ERROR: /.test(error.message) ? undefined : placeOf(withCauses(error), true);
  return place === undefined ? error.message : `${error.message}\n  at ${place}`;
}
