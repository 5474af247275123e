/** `npm start`: the local runtime as a program. Prints where it is and what to try; ends on Ctrl-C or SIGTERM. */
import './quiet-sdk.ts';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCardSigner } from '../functions/card-signer.ts';
import { loadAgent } from './load-agent.ts';
import { whenNpmEnds } from './npm-parent.ts';
import { HELP, readOptions } from './options.ts';
import { type Runtime, startRuntime } from './runtime.ts';
import { tryIt } from './try-it.ts';
import { UserError } from './user-error.ts';

const EXPENSE_AGENT = fileURLToPath(new URL('../examples/expense-agent/agent.ts', import.meta.url));

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(HELP);
    return;
  }
  const path = options.agent ?? EXPENSE_AGENT;
  const card = cardFrom(process.env);
  const runtime = await startRuntime({ ...options, agent: (place) => loadAgent(path, place), ...(card && { card }) });
  stopOnSignal(runtime);
  greet(runtime, options.data, options.agent === undefined ? 'CC-4410' : undefined);
}

/** As deployed (functions/wiring.ts): with a key in the environment the agent card is signed. */
function cardFrom({ ASKBACK_CARD_KEY: key, ASKBACK_CARD_KEYS_URL: keysUrl }: NodeJS.ProcessEnv) {
  if (!key) return undefined;
  try {
    return { signer: createCardSigner(key, keysUrl || undefined) };
  } catch (error) {
    throw new UserError(`ASKBACK_CARD_KEY: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function greet({ url, agent }: Runtime, data: string, answer: string | undefined): void {
  console.log(`${agent.card.name}, its data in ${resolve(data)}`);
  console.log(`Agent card: ${url}/.well-known/agent-card.json`);
  for (const { title, command } of tryIt(url, agent, `try-${Date.now().toString(36)}`, answer)) {
    console.log(`\n${title}:\n  ${command}`);
  }
  console.log(`\nAskback is ready on ${url}`);
}

/** The second signal does not wait. The end of npm is a first one. */
function stopOnSignal(runtime: Runtime): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(130);
    stopping = true;
    console.log('\nstopping ...');
    runtime.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  whenNpmEnds(process.env, () => stopping || onSignal());
}

function fail(error: unknown): void {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}

main().catch(fail);
