#!/usr/bin/env node
/**
 * `npx askback`: the program of the package. What it does stands in cli/ and redrive.ts; here are only the world's
 * ends. Everything heavy is loaded when it is needed, so that `--version` is quick.
 */
import { readFileSync } from 'node:fs';
import type { Screen, World } from './cli/world.ts';

const args = process.argv.slice(2);

function version(): string {
  // One level up in the source, two in dist/.
  const up = import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json';
  return (JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as { version: string }).version;
}

function screen(stream: NodeJS.WriteStream): Screen {
  // Whoever reads has stopped, as `head` does: as good as Ctrl-C, and no error of ours.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(130);
  });
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY === true,
    columns: stream.isTTY ? stream.columns : undefined,
  };
}

/** The first Ctrl-C lets go of the task, the second does not wait. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort();
    });
  }
  return controller.signal;
}

/** The official client prints what it cannot read of a stream as it came: control sequences of strangers. */
function silenceLibraries(): void {
  console.error = () => {};
  console.warn = () => {};
}

async function theWorld(): Promise<World> {
  const [{ homedir }, { setTimeout: sleep }, { terminalPrompter }, { text }] = await Promise.all([
    import('node:os'),
    import('node:timers/promises'),
    import('./cli/prompter.ts'),
    import('node:stream/consumers'),
  ]);
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  return {
    out: screen(process.stdout),
    err: screen(process.stderr),
    prompter: canAsk ? terminalPrompter(process.stdin, process.stderr) : undefined,
    env: process.env,
    fetch,
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    readInput: () => text(process.stdin),
    interrupted: interruption(),
    homeFolder: homedir(),
    async awsFetch(signed) {
      return (await import('../aws/signed-fetch.ts')).awsSignedFetch(signed);
    },
    async redrive(given) {
      const [{ sqsClient }, { runProgram }] = await Promise.all([import('../aws/clients.ts'), import('./redrive.ts')]);
      return runProgram(given, {
        connect: (region) => sqsClient(region === undefined ? {} : { region }),
        out: (line) => void process.stdout.write(`${line}\n`),
        err: (line) => void process.stderr.write(`${line}\n`),
      });
    },
  };
}

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  console.log(version());
} else {
  silenceLibraries();
  const [{ runProgram }, world] = await Promise.all([import('./cli/program.ts'), theWorld()]);
  process.exitCode = await runProgram(args, version(), world);
}
