/**
 * `npm run demo`: the worked example, played over HTTP by the official A2A client against the local runtime in a
 * process of its own, which is killed between question and answer. Every step is checked; anything that differs ends
 * the program with exit code 1. Leaves nothing behind.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../core/error-text.ts';
import { badAnswers, cancel, repeats, simultaneousAnswers, workedExample } from './demo-scenes.ts';
import { connect } from './official-client.ts';
import { type ServerProcess, startServer } from './server-process.ts';

async function main(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'askback-demo-'));
  let server: ServerProcess | undefined;
  const cleanUp = async () => {
    await server?.kill();
    await rm(data, { recursive: true, force: true });
  };
  const onSignal = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const start = async () => {
      server = await startServer(data);
      console.log(`  (server started: ${server.url})`);
      return connect(server.url, 'JSONRPC');
    };
    const restart = async () => {
      await server?.kill();
      console.log('  (server killed with SIGKILL)');
      return start();
    };
    const stage = { caller: await start(), ledgerFolder: join(data, 'ledger') };
    const played = await workedExample(stage, restart);
    const after = { ...stage, caller: played.caller };
    await repeats(after, played);
    await simultaneousAnswers(after);
    await badAnswers(after);
    await cancel(after);
    console.log('\nEverything went as the worked example says.');
  } finally {
    await cleanUp();
  }
}

main().catch((error: unknown) => {
  console.error(`\nNot as the worked example says: ${errorText(error)}`);
  process.exitCode = 1;
});
