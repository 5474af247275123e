/** `npm start`: the local runtime as a program. Prints where it is and what to try; ends on Ctrl-C or SIGTERM. */
import './quiet-sdk.ts';
import { join, resolve } from 'node:path';
import { errorText } from '../core/error-text.ts';
import { createCardSigner } from '../functions/card-signer.ts';
import { type Beside, EXAMPLES, type Example } from './examples.ts';
import { INBOX_PATH } from '../core/wire/inbox-path.ts';
import { loadAgent } from './load-agent.ts';
import { whenNpmEnds } from './npm-parent.ts';
import { HELP, readOptions, type StartOptions } from './options.ts';
import { type Runtime, startRuntime } from './runtime.ts';
import { tryIt } from './try-it.ts';
import { UserError } from './user-error.ts';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(HELP);
    return;
  }
  const example: Example =
    options.agent === undefined ? (EXAMPLES[options.example] as Example) : { agent: options.agent };
  const card = cardFrom(process.env);
  const beside = await startBeside(example.beside ?? [], options);
  const runtime = await startRuntime({
    ...options,
    agent: (place) => loadAgent(example.agent, { ...place, env: { ...place.env, ...beside.env } }),
    ...(card && { card }),
  });
  stopOnSignal([runtime, ...beside.runtimes]);
  for (const { url, agent } of beside.runtimes) console.log(`${agent.card.name} beside it, on ${url}`);
  greet(runtime, options.data, example.answer);
}

/** Each in a folder below the example's, on the ports after the example's. */
async function startBeside(agents: readonly Beside[], { port, data }: StartOptions) {
  const runtimes: Runtime[] = [];
  const env: Record<string, string> = {};
  for (const [index, { name, agent, variable }] of agents.entries()) {
    const runtime = await startRuntime({
      port: port === 0 ? 0 : port + 1 + index,
      data: join(data, name),
      agent: (place) => loadAgent(agent, place),
    });
    runtimes.push(runtime);
    env[variable] = runtime.url;
  }
  return { runtimes, env };
}

/** As deployed (functions/wiring.ts): with a key in the environment the agent card is signed. */
function cardFrom({ ASKBACK_CARD_KEY: key, ASKBACK_CARD_KEYS_URL: keysUrl }: NodeJS.ProcessEnv) {
  if (!key) return undefined;
  try {
    return { signer: createCardSigner(key, keysUrl || undefined) };
  } catch (error) {
    throw new UserError(`ASKBACK_CARD_KEY: ${errorText(error)}`, { cause: error });
  }
}

function greet({ url, agent }: Runtime, data: string, answer: string | undefined): void {
  console.log(`${agent.card.name}, its data in ${resolve(data)}`);
  console.log(`Agent card: ${url}/.well-known/agent-card.json`);
  console.log(`Inbox: ${url}${INBOX_PATH}`);
  for (const { title, command } of tryIt(url, agent, `try-${Date.now().toString(36)}`, answer)) {
    console.log(`\n${title}:\n  ${command}`);
  }
  console.log(`\nAskback is ready on ${url}`);
}

/** The second signal does not wait. The end of npm is a first one. */
function stopOnSignal(runtimes: readonly Runtime[]): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(130);
    stopping = true;
    console.log('\nstopping ...');
    Promise.all(runtimes.map((runtime) => runtime.stop())).then(
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
