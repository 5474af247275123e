/** Starts a contender's process (contender-process.ts), and asks it for work. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Asked, Told } from '../contender-process.ts';
import type { ContenderName } from '../contenders.ts';
import type { Place } from '../dynalite-process.ts';

export interface Running {
  readonly name: ContenderName;
  run(asked: Asked): Promise<Told>;
  stop(): Promise<void>;
}

/**
 * @param file the bundle of contender-process.ts
 * @throws with what the process said, when it does not start
 */
export async function startContender(
  file: string,
  name: ContenderName,
  place: Place,
  nodeOptions: readonly string[] = [],
): Promise<Running> {
  const child = fork(file, [JSON.stringify({ name, place })], {
    execArgv: ['--expose-gc', ...nodeOptions],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  const told = () => next(child, () => said);
  await told();
  return {
    name,
    async run(asked) {
      const answer = told();
      child.send(asked);
      return (await answer) as Told;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.send({ stop: true } satisfies Asked);
      await gone;
    },
  };
}

async function next(child: ChildProcess, said: () => string): Promise<unknown> {
  const done = new AbortController();
  try {
    const gone = once(child, 'exit', { signal: done.signal }).then(() => Promise.reject(new Error(firstError(said()))));
    const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), gone]);
    return message;
  } finally {
    done.abort();
  }
}

/** The line of a stack trace that says what went wrong. */
function firstError(said: string): string {
  return said.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? 'the process ended';
}
