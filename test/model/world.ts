/**
 * One world of the model: one store, one clock, one queue, one set of timers, one outside ledger, and any number of
 * actors that use them through gates (scheduler.ts). Every version of every head that is committed is kept with the
 * actor that wrote it and the time: the properties are stated over that trace.
 */
import { callbackUrl } from '../../core/callbacks.ts';
import type { Owner } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { doDue } from '../../core/operations/do-due.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { grantAuth } from '../../core/operations/grant-auth.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { runUndo } from '../../core/operations/undo.ts';
import { wakeDelegate } from '../../core/operations/wake-delegate.ts';
import type { Agent } from '../../core/agent.ts';
import type { Deps, Timer } from '../../core/ports.ts';
import type { QueueMessage } from '../../core/queue-message.ts';
import type { SendMessageRequest } from '../../core/requests.ts';
import type { StepRecord, TaskHead } from '../../core/task.ts';
import { afterSleeping } from '../fakes/after-sleeping.ts';
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
  /** Reserves under the key, once, and gives back what is reserved under it. */
  acquire(key: string): Promise<Json>;
  giveBack(key: string): Promise<void>;
  /** Never the same twice: a step that runs again comes to another result. */
  nonce(): number;
  /** Anything else outside: whoever calls may die before it, and after it before the answer. */
  call<T>(label: string, work: () => Promise<T>): Promise<T>;
  nowMs(): number;
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

/** What was done to the resource that is reserved. */
export interface Handled {
  readonly did: 'acquire' | 'release';
  readonly key: string;
  readonly atMs: number;
  readonly actor: Actor;
}

export class World {
  readonly scheduler = new Scheduler();
  readonly store = new MemoryTaskStore();
  readonly queue = new MemoryQueue({
    now: () => this.scheduler.nowMs,
    sleep: () => Promise.resolve(),
    after: () => () => undefined,
  });
  readonly deadlines = new MemoryDeadlines();
  readonly log = new QuietLog();
  readonly commits: Commit[] = [];
  readonly calls: Call[] = [];
  /** Every timer that was ever made. */
  readonly timers: Timer[] = [];
  /** Effects outside, by idempotency key, and how often each was asked for. */
  readonly ledger = new Map<string, Json>();
  readonly filings: string[] = [];
  /** Everything that was done to the resource, in order. */
  readonly handled: Handled[] = [];
  /** What stood under a step's number each time when a worker had recorded its own result there; how many had begun. */
  readonly steps: { readonly call: number; readonly standing: StepRecord; readonly actors: number }[] = [];
  /** Every time that a worker ran a step's effect, by idempotency key. */
  readonly runs: { readonly key: string; readonly actor: Actor }[] = [];
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

  /** Posts a credential to the address that the task waits at, or waited at. */
  async grant(credential: Json, authId: string): Promise<Actor> {
    const { taskId = '', owner = '', bornMs = 0 } = this.head ?? {};
    return this.scheduler.start('api', 'grant', async (actor) => {
      const deps = this.#deps(actor);
      const url = await callbackUrl(deps, { kind: 'auth', taskId, owner, bornMs, id: authId });
      return grantAuth(deps, { taskId, id: authId, token: url.slice(url.lastIndexOf('/') + 1) }, credential);
    });
  }

  /** Another agent says that the sub-task of this call has changed. */
  async hint(call: number): Promise<Actor> {
    const { taskId = '', owner = '', bornMs = 0 } = this.head ?? {};
    return this.scheduler.start('api', 'hint', async (actor) => {
      const deps = this.#deps(actor);
      const url = await callbackUrl(deps, { kind: 'delegate', taskId, owner, bornMs, id: String(call) });
      const token = url.slice(url.lastIndexOf('/') + 1);
      return wakeDelegate(deps, { taskId, id: String(call), token, body: () => ({}) });
    });
  }

  /** Delivers a message that was sent at some time: as the queue does it, or once more. */
  async deliver(index: number, workerMs = 900_000): Promise<Actor> {
    const { message } = this.queue.sent[index] as { message: QueueMessage };
    if (message.turn === undefined) {
      return this.scheduler.start('worker', 'undoing', async (actor) => {
        await runUndo(this.#deps(actor), message);
        this.unacknowledged.delete(index);
      });
    }
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
    const sleep = (ms: number, signal?: AbortSignal) => scheduler.sleep(actor, ms, signal);
    const after = (ms: number, run: () => void) => afterSleeping(sleep, ms, run);
    const clock = { now: () => scheduler.nowMs, sleep, after };
    const handle = (did: Handled['did'], key: string): Promise<Json> =>
      scheduler.call(actor, `seats.${did}`, true, async () => {
        this.handled.push({ did, key, atMs: scheduler.nowMs, actor });
        return { seat: '12A', key };
      });
    const outside: Outside = {
      nonce: () => ++this.#nonces,
      call: (label, work) => scheduler.call(actor, label, true, work),
      nowMs: () => scheduler.nowMs,
      acquire: (key) => handle('acquire', key),
      giveBack: async (key) => void (await handle('release', key)),
      file: (key, entry) =>
        scheduler.call(actor, 'ledger.file', true, async () => {
          this.filings.push(key);
          this.runs.push({ key, actor });
          if (!this.ledger.has(key)) this.ledger.set(key, entry);
          return this.ledger.get(key) as Json;
        }),
    };
    return {
      store: gatedStore(scheduler, actor, this.store, {
        committed: (head, decidedAtMs) => this.commits.push({ head, atMs: scheduler.nowMs, decidedAtMs, actor }),
        recorded: (call, standing) => this.steps.push({ call, standing, actors: scheduler.actors.length }),
      }),
      queue: gatedQueue(scheduler, actor, this.queue, (index) => this.unacknowledged.add(index)),
      deadlines: gatedDeadlines(scheduler, actor, this.deadlines, (timer) => this.timers.push(timer)),
      clock,
      ids: { unique: () => `${actor.kind}-${actor.id}-${String(++this.#tokens).padStart(20, '0')}` },
      cipher: new PlainCipher(),
      signer: new PlainSigner(),
      baseUrl: () => 'https://agent.example.com',
      // Nobody shares a process: who waits sees others' writes by polling.
      wake: new MemoryWake(clock),
      log: this.log,
      agent: this.#makeAgent(outside),
    };
  }
}
