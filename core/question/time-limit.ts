/**
 * Runs a synchronous function under a time limit. Compiling a schema and matching a pattern can take exponential time,
 * and JavaScript cannot be interrupted from inside; V8 can interrupt a script, so the call goes through one.
 * The limit is wall-clock time. What is interrupted leaves no `finally` behind: let it own what it changes.
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

/**
 * @param tries how often a run that was cut off is started again; more than one where a busy machine must not be
 *   taken for somebody's mistake
 * @throws OutOfTime, or what `run` throws
 */
export function withinTime<T>(run: () => T, tries = 1, limitMs: number = limits.validationMs): T {
  try {
    return once(run, limitMs);
  } catch (error) {
    if (!(error instanceof OutOfTime) || tries <= 1) throw error;
    return withinTime(run, tries - 1, limitMs);
  }
}

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
