/** Calls whose result is recorded: steps, and the clock and chance as seen by the author's code. */
import { AgentFault } from '../core/errors.ts';
import { idempotencyKey } from '../core/ids.ts';
import { type Json, jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Recorded, StepResult } from '../core/turn-host.ts';
import { StepError } from './errors.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import { type Call, describeCall, type Outcome, type Replay } from './replay.ts';
import { retrying } from './retrying.ts';

export interface StepContext {
  /** The same for every try and every run of this step, different for every other: give it to what must not repeat. */
  readonly idempotencyKey: string;
  /** Aborts when the turn is over: the task was canceled, or another worker has it now. */
  readonly signal: AbortSignal;
  /** 1 on the first try. Starts again with a new worker. */
  readonly attempt: number;
}

export interface StepOptions {
  /** How often to try, 1 to 10; 3 by default. */
  readonly tries?: number;
  /** Before the second try, in milliseconds; doubles for each one after. */
  readonly retryDelayMs?: number;
}

/** What stands for a step that gave no result; JSON has no undefined. No other result may look like it. */
const NOTHING = { $askback: 'undefined' } as const;
const TRIES_MAX = 10;
const OPTIONS = ['tries', 'retryDelayMs'];
const ERROR_TEXT_MAX = 2_000;

export function step<T>(
  replay: Replay,
  name: string,
  run: (context: StepContext) => T | Promise<T>,
  options: StepOptions = {},
): Promise<T> {
  const problem = problemOf(run, options);
  if (problem !== undefined) return replay.fault('BAD_CALL', `step "${name}": ${problem}`);
  return replay.call<T>('step', name, 'at once', async (call) => {
    const result = call.recorded ?? (await runStep(replay, call, run, options));
    return result === 'gone' ? 'gone' : stepOutcome<T>(call, result);
  });
}

/**
 * Not recorded, although it was the last try in place: the whole attempt of the turn fails and comes again later, with
 * all that it had.
 */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
}

/** A value that the turn's host gives once: recorded, so that every run sees the same. */
export function sampled(replay: Replay, kind: 'now' | 'random', sample: () => number): Promise<number> {
  return replay.call<number>(kind, kind, 'at once', async (call) =>
    stepOutcome<number>(call, call.recorded ?? (await replay.record(call, { ok: sample() }))),
  );
}

/** Runs `run` until it gives a result or fails on its last try, and records that under the call. */
export async function runStep<T>(
  replay: Replay,
  call: Call,
  run: (context: StepContext) => T | Promise<T>,
  { tries, retryDelayMs }: StepOptions,
  key = idempotencyKey(replay.host.taskId, call.n),
): Promise<Recorded | 'gone'> {
  const { signal } = replay.host;
  const tried = await retrying(
    replay,
    (attempt) => replay.inside(call, () => run({ idempotencyKey: key, signal, attempt })),
    {
      tries,
      delayMs: retryDelayMs,
      isFinal: (error) => error instanceof AgentFault || error instanceof AttemptFailed,
    },
  );
  if (tried === 'gone') return 'gone';
  if ('value' in tried) return replay.record(call, { ok: resultRecord(call, tried.value) });
  if (tried.isFinal) throw tried.error;
  return replay.record(call, { error: errorRecord(tried.error) });
}

function resultRecord(call: Call, result: unknown): Json {
  if (result === undefined) return NOTHING;
  const json = toJson(result, `the result of ${describeCall(call)}`);
  if (isNothing(json)) {
    throw new AgentFault('NOT_JSON', `the result of ${describeCall(call)} looks like the mark for no result`);
  }
  const bytes = jsonBytes(json);
  if (bytes > limits.stepResultBytes) {
    const most = `at most ${limits.stepResultBytes} are allowed`;
    throw new AgentFault('LIMIT_EXCEEDED', `the result of ${describeCall(call)} has ${bytes} bytes, ${most}`);
  }
  return json;
}

/**
 * What a call of ours recorded, which never is an error.
 * @throws AgentFault CODE_CHANGED
 */
export function resultOf<T>(call: Omit<Call, 'recorded'>, recorded: Recorded): T {
  if (!('result' in recorded) || !('ok' in recorded.result)) {
    throw new AgentFault('CODE_CHANGED', `the record of call ${call.n}, ${describeCall(call)}, holds no result`);
  }
  return recorded.result.ok as unknown as T;
}

/** What is recorded, for the author. */
export function stepOutcome<T>(call: Call, recorded: Recorded): Outcome<T> {
  if (!('result' in recorded)) throw new AgentFault('CODE_CHANGED', `call ${call.n} holds no result`);
  const result: StepResult = recorded.result;
  if ('error' in result) return { thrown: new StepError(call.name, result.error) };
  return { value: (isNothing(result.ok) ? undefined : result.ok) as T };
}

/** A result as it is recorded; `givenBack` is the way back. */
export function asRecorded(result: unknown): Json {
  return result === undefined ? NOTHING : (result as Json);
}

/** A recorded result, as the code had given it. */
export function givenBack(json: Json): Json | undefined {
  return isNothing(json) ? undefined : json;
}

function isNothing(json: Json): boolean {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  return '$askback' in json && json.$askback === 'undefined' && Object.keys(json).length === 1;
}

function errorRecord(error: unknown): { name: string; message: string } {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { name: String(name).slice(0, 128), message: String(message).slice(0, ERROR_TEXT_MAX) };
}

function problemOf(run: unknown, options: StepOptions): string | undefined {
  if (typeof run !== 'function') return 'the second argument is the function to run';
  const problem = optionsProblem(options, OPTIONS);
  if (problem !== undefined) return problem;
  const { tries = 1, retryDelayMs = 0 } = options;
  if (!Number.isInteger(tries) || tries < 1 || tries > TRIES_MAX) return `tries is an integer from 1 to ${TRIES_MAX}`;
  if (!Number.isFinite(retryDelayMs) || retryDelayMs < 0) return 'retryDelayMs is a number of milliseconds';
  return undefined;
}
