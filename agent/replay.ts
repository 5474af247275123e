/**
 * One turn's calls: their numbers, their order, and what ends the turn. What a call does is in the file of its kind:
 * step.ts (now and random as well), ask.ts, require-auth.ts, artifact.ts, inbox.ts, hold.ts (with confirm and release),
 * delegate-begin.ts and delegate-wait.ts.
 *
 * Replay is exact because results are handed over in the order of the calls, each after the code that the one before
 * set going has come to rest. So parallel branches make their calls in the same order on every run, whichever step
 * happens to be ready first.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { scheduler } from 'node:timers/promises';
import { AgentFault } from '../core/errors.ts';
import type { Recorded, StepResult, TurnHost } from '../core/turn-host.ts';
import { EmptyReads } from './empty-reads.ts';
import { madeAt, type Place, placeOf } from './place.ts';

export type CallKind = Recorded['kind'];

/** A call that has its number, and what stands under it from an earlier run. */
export interface Call {
  readonly n: number;
  readonly kind: CallKind;
  readonly name: string;
  readonly recorded: Recorded | undefined;
}

/** What a call comes to: a value or an error for the author, or nothing, because the turn is over. */
export type Outcome<T> = { readonly value: T } | { readonly thrown: unknown } | 'gone';

/**
 * `at once`: what may run beside others: steps, now and random, a hold and a delegate as they begin. `in order`: what
 * must not begin before all earlier calls have been handed over, since it may end the turn or its place counts outside:
 * asks, authorisations, waits, artifacts, inbox reads, confirm and release.
 */
export type Start = 'at once' | 'in order';

// Taken once, so that a clock faked later in a test cannot stop the handing over of results. No time passes in it.
const rest = scheduler.yield.bind(scheduler) as () => Promise<void>;

/** Pending for ever: nothing of the author's runs after it, no catch and no finally. */
export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

/** What a call came to, once all before it has been handed over and what that set going has come to rest. */
async function atRest<T>(before: Promise<unknown>, outcome: Promise<T>): Promise<T> {
  await before;
  const done = await outcome;
  await rest();
  return done;
}

function ignore(): void {}

export function describeCall({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return kind === name ? kind : `${kind} "${name}"`;
}

// One for all runs: what a storage has once been used for is never given back, and each one slows every promise.
const inside = new AsyncLocalStorage<{ readonly replay: Replay; readonly call: Call }>();

export class Replay {
  readonly host: TurnHost;
  readonly emptyReads: EmptyReads;
  readonly #leave: (error: unknown) => void;
  /** Calls not handed over yet, oldest first. */
  readonly #open = new Map<number, Call>();
  /** What runs `at once` and is not recorded yet, by call number. */
  readonly #running = new Map<number, Promise<unknown>>();
  #calls = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #threw = false;
  #closed = false;
  #tellsPlaces = false;

  /** `leave` is told why the run ends without the author's code having returned; the first telling counts. */
  constructor(host: TurnHost, leave: (error: unknown) => void) {
    this.host = host;
    this.emptyReads = new EmptyReads(host);
    this.#leave = leave;
  }

  /** No call begins any more and none is handed over. */
  get closed(): boolean {
    // Where the host has left the turn, steps in flight see the signal themselves.
    return this.#closed || this.host.over;
  }

  /** A later call than all made so far has a record: an earlier run came past here. */
  get replaying(): boolean {
    return this.#insideOf() === undefined && this.host.lastRecorded > this.#calls;
  }

  /** From now on a fault of a call tells where in the author's code that call was made. */
  tellPlaces(): void {
    this.#tellsPlaces = true;
  }

  /**
   * Takes the next number, before anything is awaited, and has `work` done unless the record shows other code.
   * What is for the author is in the outcome of `work`; a rejection of it ends the turn.
   */
  call<T>(kind: CallKind, name: string, start: Start, work: (call: Call) => Promise<Outcome<T>>): Promise<T> {
    if (this.closed) return never();
    const outer = this.#insideOf();
    if (outer) {
      const where = describeCall(outer);
      return this.fault('BAD_CALL', `${describeCall({ kind, name })} was called inside ${where}: call it outside`);
    }
    if (typeof name !== 'string' || name === '' || name.length > 128) {
      return this.fault('BAD_CALL', `the name of a call is a string of 1 to 128 characters: ${String(name)}`);
    }
    const n = this.#calls + 1;
    const recorded = this.host.recorded(n);
    if (recorded && (recorded.kind !== kind || recorded.name !== name)) {
      return this.#codeChanged(n, recorded, describeCall({ kind, name }));
    }
    this.#calls = n;
    const call: Call = { n, kind, name, recorded };
    this.#open.set(n, call);

    const place = this.#tellsPlaces && !recorded ? placeOf(this.call) : undefined;
    const before = this.#tail;
    const outcome =
      start === 'at once' ? this.#runAtOnce(call, work, place) : this.#runInOrder(before, call, work, place);
    const ready = atRest(before, outcome);
    this.#tail = ready;
    const handedOver = ready.then((done) => this.#handOver(call, done));
    // A rejection that the author looks at later, or never, must not take the process down.
    handedOver.catch(ignore);
    return handedOver;
  }

  /** Runs author's code that belongs to a call, so that calls on the turn made from it are refused. */
  inside<T>(call: Call, run: () => T): T {
    return inside.run({ replay: this, call }, run);
  }

  /** Records a result. Answers with what stands. */
  async record({ n, kind, name }: Omit<Call, 'recorded'>, result: StepResult): Promise<Recorded> {
    const stands = await this.host.record(n, kind, name, result);
    // Another worker, with other code, was faster.
    if (stands.kind !== kind || stands.name !== name) return this.#codeChanged(n, stands, describeCall({ kind, name }));
    return stands;
  }

  /** Waits for the steps in flight, closes the turn and does what ends it. Never settles; what goes wrong rejects. */
  async pause(end: () => Promise<never>): Promise<never> {
    await rest();
    await this.#stepsDone();
    if (this.closed) return never();
    this.#closed = true;
    return end();
  }

  /** Ends the task, from any place of the author's code, a step included. Never settles. */
  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never> {
    if (this.closed) return never();
    this.#closed = true;
    const own = this.#insideOf()?.n;
    return this.#orLeave(this.#stepsDone(own).then(() => this.host.end(state, reason)));
  }

  /** Ends the turn with an error that the author cannot catch. Never settles. */
  fault(reason: AgentFault['reason'], message: string): Promise<never> {
    return this.leave(new AgentFault(reason, message));
  }

  leave(error: unknown): Promise<never> {
    this.#closed = true;
    this.#leave(error);
    return never();
  }

  /** The author's code returned: nothing may be left open or be recorded beyond. Resolves when the run is complete. */
  async returned(): Promise<void> {
    if (this.closed) return never();
    this.#closed = true;
    const [open] = this.#open.values();
    // Once an error was handed over, the calls beside it may rightly be given up, as Promise.all does.
    if (open && !this.#threw) {
      return this.fault('BAD_CALL', `the code returned before ${describeCall(open)} was done: is an await missing?`);
    }
    const next = this.#calls + 1;
    const recorded = this.host.recorded(next);
    if (recorded) return this.#codeChanged(next, recorded, 'the end of the code');
    return this.#stepsDone();
  }

  /** The author's code threw. Resolves when the steps in flight are recorded; never when the turn had ended before. */
  async threw(): Promise<void> {
    if (this.closed) return never();
    this.#closed = true;
    return this.#stepsDone();
  }

  /** The call of this run whose code is running now. */
  #insideOf(): Call | undefined {
    const at = inside.getStore();
    return at?.replay === this ? at.call : undefined;
  }

  #runAtOnce<T>(call: Call, work: (call: Call) => Promise<Outcome<T>>, place?: Place): Promise<Outcome<T>> {
    const running = this.#begin(call, work);
    const done = () => this.#running.delete(call.n);
    this.#running.set(call.n, running.then(done, done));
    return this.#orLeave(running, place);
  }

  async #runInOrder<T>(
    before: Promise<unknown>,
    call: Call,
    work: (call: Call) => Promise<Outcome<T>>,
    place?: Place,
  ): Promise<Outcome<T>> {
    await before;
    return this.closed ? never() : this.#orLeave(this.#begin(call, work), place);
  }

  /** What a call does outside may rest on an inbox that was empty: that is recorded first, so that no run takes it back. */
  #begin<T>(call: Call, work: (call: Call) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const recorded = call.recorded ? undefined : this.emptyReads.recordAll();
    return recorded === undefined ? work(call) : recorded.then(() => (this.closed ? 'gone' : work(call)));
  }

  #orLeave<T>(work: Promise<T>, place?: Place): Promise<T> {
    return work.catch((error: unknown) => this.leave(place ? madeAt(error, place) : error));
  }

  #handOver<T>(call: Call, done: Outcome<T>): T | Promise<never> {
    if (this.closed || done === 'gone') return never();
    this.#open.delete(call.n);
    if ('value' in done) return done.value;
    this.#threw = true;
    throw done.thrown;
  }

  async #stepsDone(except?: number): Promise<void> {
    while (this.#running.size > 0) {
      const running = [...this.#running].filter(([n]) => n !== except).map(([, done]) => done);
      if (running.length === 0) return;
      await Promise.all(running);
    }
  }

  #codeChanged(n: number, recorded: Recorded, found: string): Promise<never> {
    const expected = describeCall(recorded);
    return this.fault('CODE_CHANGED', `the agent's code changed: expected ${expected} at call ${n}, found ${found}`);
  }
}
