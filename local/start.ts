/** `npm start`: the local runtime as a program. Prints where it is and what to try; ends on Ctrl-C or SIGTERM. */
import './quiet-sdk.ts';
import { fileURLToPath } from 'node:url';
import { loadAgent } from './load-agent.ts';
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
  const runtime = await startRuntime({ ...options, agent: (place) => loadAgent(path, place) });
  stopOnSignal(runtime);
  greet(runtime, options.data, options.agent === undefined ? 'CC-4410' : '<your answer>');
}

function greet({ url, agent }: Runtime, data: string, answer: string): void {
  console.log(`${agent.card.name}, its data in ${data}`);
  console.log(`Agent card: ${url}/.well-known/agent-card.json`);
  for (const { title, command } of tryIt(url, agent, `try-${Date.now().toString(36)}`, answer)) {
    console.log(`\n${title}:\n  ${command}`);
  }
  console.log(`\nAskback is ready on ${url}`);
}

/** The second signal does not wait. */
function stopOnSignal(runtime: Runtime): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(130);
    stopping = true;
    runtime.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

function fail(error: unknown): void {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}

main().catch(fail);
