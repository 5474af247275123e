/**
 * One world of the model: one store, one clock, one queue, one set of timers, one outside ledger, and any number of
 * actors that use them through gates (scheduler.ts). Every version of every head that is committed is kept with the
 * actor that wrote it and the time: the properties are stated over that trace.
 */
import type { Owner } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { doDue } from '../../core/operations/do-due.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { sweep } from '../../core/operations/sweep.ts';
import type { Agent } from '../../core/agent.ts';
import type { Deps, Timer, TurnMessage } from '../../core/ports.ts';
import type { SendMessageRequest } from '../../core/requests.ts';
import type { StepRecord, TaskHead } from '../../core/task.ts';
import { MemoryDeadlines } from '../fakes/memory-deadlines.ts';
import { MemoryQueue } from '../fakes/memory-queue.ts';
import { MemoryTaskStore } from '../fakes/memory-store.ts';
import { MemoryWake } from '../fakes/memory-wake.ts';
import { PlainCipher } from '../fakes/plain-cipher.ts';
import { PlainSigner } from '../fakes/plain-signer.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { gatedDeadlines, gatedQueue, gatedStore } from './gated-ports.ts';
import { type Actor, Scheduler } from './scheduler.ts';

export const ALICE: Owner = { tenant: 'acme', principal: 'alice' };
export const MALLORY: Owner = { tenant: 'acme', principal: 'mallory' };

/** What an agent under test can reach outside: a ledger that files once per key. */
export interface Outside {
  file(key: string, entry: Json): Promise<Json>;
  /** Never the same twice: a step that runs again comes to another result. */
  nonce(): number;
}

export type AgentMaker = (outside: Outside) => Agent;

export interface Commit {
  readonly head: TaskHead;
  readonly atMs: number;
  /** The clock as the writer read it: no store can tell how long a write was on its way. */
  readonly decidedAtMs: number;
  readonly actor: Actor;
}

/** A call of the API: what was sent, and what the task was when it began. */
export interface Call {
  readonly actor: Actor;
  readonly kind: 'send' | 'get' | 'cancel' | 'intrude';
  readonly message?: Message;
  /** How many commits there were when it began, and when it ended. */
  readonly from: number;
  to?: number;
}

export class World {
  readonly scheduler = new Scheduler();
  readonly store = new MemoryTaskStore();
  readonly queue = new MemoryQueue({ now: () => this.scheduler.nowMs, sleep: () => Promise.resolve() });
  readonly deadlines = new MemoryDeadlines();
  readonly log = new QuietLog();
  readonly commits: Commit[] = [];
  readonly calls: Call[] = [];
  /** Every timer that was ever made. */
  readonly timers: Timer[] = [];
  /** Effects outside, by idempotency key, and how often each was asked for. */
  readonly ledger = new Map<string, Json>();
  readonly filings: string[] = [];
  /** What stood under a step's number each time when a worker had recorded its own result there. */
  readonly steps: { readonly call: number; readonly standing: StepRecord }[] = [];
  /** Calls of the ledger that failed or whose answer was lost. */
  ledgerFaults = 0;
  /** Indexes into `queue.sent` of messages that have not been acknowledged. */
  readonly unacknowledged = new Set<number>();
  readonly #makeAgent: AgentMaker;
  #tokens = 0;
  #nonces = 0;

  constructor(makeAgent: AgentMaker) {
    this.#makeAgent = makeAgent;
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** The only task of most worlds: the first that was created. */
  get taskId(): string | undefined {
    return this.commits[0]?.head.taskId;
  }

  /** The head as it stands; undefined before the first message. */
  get head(): TaskHead | undefined {
    return this.taskId === undefined ? undefined : this.store.peek(this.taskId);
  }

  async send(request: SendMessageRequest, owner: Owner = ALICE, waitMs = 0): Promise<Actor> {
    const { message } = request;
    const kind = owner === ALICE ? 'send' : 'intrude';
    return this.#api(kind, (deps) => sendMessage(deps, owner, request, { waitMs }), message);
  }

  async get(id: string, owner: Owner = ALICE): Promise<Actor> {
    return this.#api(owner === ALICE ? 'get' : 'intrude', (deps) => getTask(deps, owner, { id }));
  }

  async cancel(id: string, owner: Owner = ALICE): Promise<Actor> {
    return this.#api(owner === ALICE ? 'cancel' : 'intrude', (deps) => cancelTask(deps, owner, { id }));
  }

  /** Delivers a message that was sent at some time: as the queue does it, or once more. */
  async deliver(index: number, workerMs = 900_000): Promise<Actor> {
    const { message } = this.queue.sent[index] as { message: TurnMessage };
    const name = `worker of turn ${message.turn}`;
    return this.scheduler.start('worker', name, async (actor) => {
      const endMs = this.nowMs + workerMs;
      await runTurn(this.#deps(actor), message, { remainingMs: () => endMs - this.nowMs });
      this.unacknowledged.delete(index);
    });
  }

  /** A timer fires, or only says that it does: early, late, twice. */
  async fire(taskId: string): Promise<Actor> {
    return this.scheduler.start('timer', 'timer', (actor) => doDue(this.#deps(actor), taskId));
  }

  async sweep(): Promise<Actor> {
    return this.scheduler.start('sweep', 'sweep', (actor) => sweep(this.#deps(actor), { remainingMs: () => 300_000 }));
  }

  /** Messages whose time has come and that nobody has acknowledged. */
  deliverable(): readonly number[] {
    return [...this.unacknowledged].filter((index) => (this.queue.sent[index]?.readyAtMs ?? 0) <= this.nowMs);
  }

  async #api(kind: Call['kind'], work: (deps: Deps) => Promise<unknown>, message?: Message): Promise<Actor> {
    const from = this.commits.length;
    const call: { -readonly [K in keyof Call]?: Call[K] } = { kind, from, ...(message ? { message } : {}) };
    const actor = await this.scheduler.start('api', kind, async (self) => {
      call.actor = self;
      this.calls.push(call as Call);
      try {
        return await work(this.#deps(self));
      } finally {
        call.to = this.commits.length;
      }
    });
    return actor;
  }

  #deps(actor: Actor): Deps {
    const { scheduler } = this;
    const clock = {
      now: () => scheduler.nowMs,
      sleep: (ms: number, signal?: AbortSignal) => scheduler.sleep(actor, ms, signal),
    };
    const outside: Outside = {
      nonce: () => ++this.#nonces,
      file: (key, entry) =>
        scheduler.call(actor, 'ledger.file', true, async () => {
          this.filings.push(key);
          if (!this.ledger.has(key)) this.ledger.set(key, entry);
          return this.ledger.get(key) as Json;
        }),
    };
    return {
      store: gatedStore(scheduler, actor, this.store, {
        committed: (head, decidedAtMs) => this.commits.push({ head, atMs: scheduler.nowMs, decidedAtMs, actor }),
        recorded: (call, standing) => this.steps.push({ call, standing }),
      }),
      queue: gatedQueue(scheduler, actor, this.queue, (index) => this.unacknowledged.add(index)),
      deadlines: gatedDeadlines(scheduler, actor, this.deadlines, (timer) => this.timers.push(timer)),
      clock,
      ids: { unique: () => `${actor.kind}-${actor.id}-${String(++this.#tokens).padStart(20, '0')}` },
      cipher: new PlainCipher(),
      signer: new PlainSigner(),
      // Nobody shares a process: who waits sees others' writes by polling.
      wake: new MemoryWake(clock),
      log: this.log,
      agent: this.#makeAgent(outside),
    };
  }
}
