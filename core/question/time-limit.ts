/**
 * Runs a synchronous function under a time limit. Compiling a schema and matching a pattern can take exponential time,
 * and JavaScript cannot be interrupted from inside; V8 can interrupt a script, so the call goes through one.
 *
 * V8 counts wall-clock time. On a busy machine or a small Lambda that would take a good answer for a hostile one, so a
 * run that was interrupted is started again until the limit has been used up in processor time.
 * What is interrupted leaves no `finally` behind: let it own what it changes.
 */
import { Script } from 'node:vm';
import { limits } from '../limits.ts';

const SLOT = Symbol.for('askback.within-time');
const slots = globalThis as { [SLOT]?: () => unknown };
const script = new Script(`globalThis[Symbol.for('askback.within-time')]()`, { filename: 'askback-within-time.js' });

/** The function did not end in time. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** Even where the processor is hardly ours, this many runs are enough. */
const RUNS = 10;

/**
 * @param run must be repeatable
 * @throws OutOfTime, or what `run` throws
 */
export function withinTime<T>(run: () => T, limitMs: number = limits.validationMs): T {
  const start = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    try {
      return once(run, limitMs);
    } catch (error) {
      const used = process.cpuUsage(start);
      const usedUp = used.user + used.system >= limitMs * MICROSECONDS;
      if (!(error instanceof OutOfTime) || usedUp || runs >= RUNS) throw error;
    }
  }
}

const MICROSECONDS = 1_000;

function once<T>(run: () => T, limitMs: number): T {
  slots[SLOT] = run;
  try {
    return script.runInThisContext({ timeout: limitMs }) as T;
  } catch (error) {
    if (isTimeout(error)) throw new OutOfTime(`did not end within ${limitMs} ms`, { cause: error });
    throw error;
  } finally {
    delete slots[SLOT];
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
