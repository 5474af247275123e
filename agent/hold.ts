/**
 * Holding: something is reserved while the task waits, and then confirmed or released. That it is to be reserved is
 * written first, so that a crash leaves nothing behind. What releases it stands in the agent module under the hold's
 * name (`holds` of defineAgent), since it has to be found without a turn.
 */
import { AgentFault } from '../core/errors.ts';
import { holdKey } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { UndoReason } from '../core/undo.ts';
import { HoldGoneError } from './errors.ts';
import { optionsProblem } from './options.ts';
import { type Duration, durationMs, durationProblem } from './question.ts';
import type { Outcome, Replay } from './replay.ts';
import { asRecorded, runStep, type StepContext, stepOutcome } from './step.ts';

export interface HoldOptions<T> {
  /** How long it is kept. A question that is asked meanwhile must not expire before. At most 30 days. */
  readonly for: Duration;
  /**
   * Reserves. Runs as a step does: at least once, three tries, and its result, which is JSON, is recorded once. Be done
   * within two minutes, and let the key decide: what was reserved under it is what `release` gives back under it.
   */
  readonly acquire: (context: StepContext) => T | Promise<T>;
}

export interface HoldHandle<T> {
  /** What `acquire` gave. */
  readonly value: T;
  /**
   * Keeps it for good, before whatever relies on it is done. The same on every replay.
   * @throws HoldGoneError the hold is over, and what was reserved has been or is being released
   */
  confirm(): Promise<void>;
  /** As `confirm`, and gives false instead of throwing: for code that takes another one. */
  tryConfirm(): Promise<boolean>;
  /** Gives it back before its time, or after it was confirmed. Resolves when that is certain to happen. */
  release(): Promise<void>;
}

/** What releases one kind of hold. */
export interface HoldSpec {
  /**
   * Gives back what was reserved under this key. Perhaps more than once, perhaps what never was reserved: that is no
   * error. What it throws is tried again, eight times in all.
   */
  release(held: ReleasedHold): Promise<void> | void;
}

export interface ReleasedHold {
  /** What `acquire` gave; undefined where that is not known, since it failed or a worker died in it. */
  readonly value: Json | undefined;
  /** The one that `acquire` had. */
  readonly idempotencyKey: string;
  readonly reason: UndoReason;
  readonly taskId: string;
  /** Aborts when it takes longer than a minute. */
  readonly signal: AbortSignal;
}

export type Holds = Readonly<Record<string, HoldSpec>>;

export function hold<T>(replay: Replay, holds: Holds, name: string, options: HoldOptions<T>): Promise<HoldHandle<T>> {
  const problem = problemOf(holds, name, options);
  if (problem !== undefined) return replay.fault('BAD_CALL', `hold "${name}": ${problem}`);
  // Whether it is kept for too long shows at a later call only.
  replay.tellPlaces();
  return replay.call<HoldHandle<T>>('hold', name, 'at once', async (call) => {
    const { host } = replay;
    let recorded: Awaited<ReturnType<typeof runStep>> = call.recorded ?? 'gone';
    if (!call.recorded) {
      const n = await host.reserve(call.n, name, durationMs(options.for, 'for'));
      recorded = await runStep(replay, call, options.acquire, {}, holdKey(host.taskId, n));
    }
    if (recorded === 'gone') return 'gone';
    if (recorded.kind !== 'hold') throw new AgentFault('CODE_CHANGED', `call ${call.n} holds no hold`);
    if ('gone' in recorded) return { thrown: new HoldGoneError(name) };
    const acquired: Outcome<T> = stepOutcome<T>(call, recorded);
    if (acquired === 'gone' || 'thrown' in acquired) return acquired;
    return { value: handle(replay, name, recorded.n, acquired.value) };
  });
}

function handle<T>(replay: Replay, name: string, n: number, value: T): HoldHandle<T> {
  let confirming: Promise<void> | undefined;
  let releasing: Promise<void> | undefined;
  let confirmed = false;
  const decide = (): Promise<void> =>
    replay.call<void>('confirm', name, 'in order', async (call) => {
      const stands = call.recorded ?? (await replay.host.confirm(call.n, name, n));
      if (!('done' in stands)) throw new AgentFault('CODE_CHANGED', `call ${call.n} holds no confirmation`);
      confirmed = stands.done;
      return confirmed ? { value: undefined } : { thrown: new HoldGoneError(name) };
    });
  // What was decided once is not asked again: a second call would find a hold that is confirmed to be gone.
  const confirm = (): Promise<void> => {
    confirming ??= decide();
    return confirming;
  };
  const release = (): Promise<void> =>
    replay.call<void>('release', name, 'in order', async (call) => {
      const kept = confirmed ? { value: asRecorded(value) } : undefined;
      if (!call.recorded) await replay.host.release(call.n, name, n, kept);
      return { value: undefined };
    });
  return {
    value,
    confirm,
    // Nothing else is ever thrown at the author here: a fault ends the turn.
    tryConfirm: () =>
      confirm().then(
        () => true,
        () => false,
      ),
    release: () => {
      releasing ??= release();
      return releasing;
    },
  };
}

const OPTIONS = ['for', 'acquire'];

function problemOf(holds: Holds, name: string, options: HoldOptions<unknown>): string | undefined {
  if (!Object.hasOwn(holds, name)) return `the agent module has no "${name}" in \`holds\` that releases it`;
  const problem = optionsProblem(options, OPTIONS);
  if (problem !== undefined) return problem;
  if (typeof options.acquire !== 'function') return 'acquire is the function that reserves';
  return durationProblem(options.for, 'for', limits.questionExpiryMaxMs);
}
