/**
 * A deterministic scheduler for the model: every port call of an actor (a worker, an API call, a timer, a sweep) stops
 * at a gate before its work and at another after it, and goes on only when the test opens that gate. An actor that
 * dies is one whose gates are never opened again; one that comes back from the dead is one whose gates are opened much
 * later. Time moves by hand only.
 */
import { RetryableError } from '../../core/errors.ts';

export type ActorKind = 'api' | 'worker' | 'timer' | 'sweep';

export type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface Actor {
  readonly id: number;
  readonly kind: ActorKind;
  readonly name: string;
  readonly startedAtMs: number;
  status: 'live' | 'frozen' | 'dead' | 'done';
  outcome?: Outcome;
  /** It was throttled or lost an answer at least once. */
  disturbed: boolean;
}

export interface Gate {
  readonly actor: Actor;
  readonly label: string;
  readonly place: 'before' | 'after' | 'sleep';
  readonly notBeforeMs: number;
  readonly open: (error?: Error) => void;
}

/** 2027-01-15T08:00:00.000Z. */
export const START_MS = 1_800_000_000_000;

export class Scheduler {
  nowMs = START_MS;
  readonly actors: Actor[] = [];
  #gates: Gate[] = [];

  /** Starts an actor; it runs up to its first gate. */
  async start(kind: ActorKind, name: string, work: (actor: Actor) => Promise<unknown>): Promise<Actor> {
    const id = this.actors.length + 1;
    const actor: Actor = { id, kind, name, startedAtMs: this.nowMs, status: 'live', disturbed: false };
    this.actors.push(actor);
    const end = (outcome: Outcome): void => {
      if (actor.status === 'dead') return;
      actor.status = 'done';
      actor.outcome = outcome;
    };
    void work(actor).then(
      (value) => end({ value }),
      (error: unknown) => end({ error }),
    );
    await quiet();
    return actor;
  }

  /** One call of a port. `twice`: it changes something, so the actor may also die between the change and its answer. */
  async call<T>(actor: Actor, label: string, twice: boolean, work: () => Promise<T>): Promise<T> {
    await this.#gate(actor, label, 'before', this.nowMs).passed;
    if (!twice) return work();
    const outcome = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.#gate(actor, label, 'after', this.nowMs).passed;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  sleep(actor: Actor, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const { gate, passed } = this.#gate(actor, 'sleep', 'sleep', this.nowMs + Math.max(0, ms));
    signal?.addEventListener('abort', () => this.#take(gate)?.open(), { once: true });
    return passed;
  }

  /** Gates of live actors that may be opened now, oldest first. */
  ready(): readonly Gate[] {
    return this.#gates.filter((gate) => gate.actor.status === 'live' && gate.notBeforeMs <= this.nowMs);
  }

  /** When the next sleeper of a live actor wakes. */
  nextWakeMs(): number | undefined {
    const times = this.#gates.filter((gate) => gate.actor.status === 'live').map((gate) => gate.notBeforeMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Opens a gate and lets its actor run to the next one. */
  async open(gate: Gate, error?: Error): Promise<void> {
    if (!this.#take(gate)) return;
    if (error) gate.actor.disturbed = true;
    gate.open(error);
    await quiet();
  }

  live(): readonly Actor[] {
    return this.actors.filter((actor) => actor.status === 'live');
  }

  kill(actor: Actor): void {
    if (actor.status === 'done') return;
    actor.status = 'dead';
    this.#gates = this.#gates.filter((gate) => gate.actor !== actor);
  }

  /** Opens every gate that may be opened, first come first served, until all live actors are done or asleep. */
  async drain(): Promise<void> {
    for (let opened = 0; ; opened++) {
      const [gate] = this.ready();
      if (!gate) return;
      if (opened > 20_000) throw new Error(`never quiet: ${gate.actor.name} at ${gate.label}`);
      await this.open(gate);
    }
  }

  #gate(
    actor: Actor,
    label: string,
    place: Gate['place'],
    notBeforeMs: number,
  ): { readonly gate: Gate; readonly passed: Promise<void> } {
    let open: Gate['open'] = () => undefined;
    const passed = new Promise<void>((resolve, reject) => {
      open = (error) => (error ? reject(error) : resolve());
    });
    const gate: Gate = { actor, label, place, notBeforeMs, open };
    // What an actor that has died still does has nowhere to go.
    if (actor.status !== 'dead') this.#gates.push(gate);
    return { gate, passed };
  }

  #take(gate: Gate): Gate | undefined {
    const found = this.#gates.includes(gate);
    this.#gates = this.#gates.filter((other) => other !== gate);
    return found ? gate : undefined;
  }
}

/** What a disturbed call sees: nothing happened (before), or it happened and the answer was lost (after). */
export function disturbance(gate: Gate): Error {
  return gate.place === 'before'
    ? new RetryableError('THROTTLED', `throttled: ${gate.label}`)
    : new RetryableError('STORE_UNAVAILABLE', `no answer: ${gate.label}`);
}

/**
 * Everything that can go on without a gate or time goes on. The agent layer hands results over one macrotask apart,
 * so the wait ends when no macrotask is left.
 */
async function quiet(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}
