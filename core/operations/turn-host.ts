/** `TurnHost` on the store: what the replay layer may do during one turn. Numbers, kinds and names are its business. */
import { type AuthSpec, authIdOf } from '../auth-request.ts';
import { callbackUrl, noCallbacksBecause } from '../callbacks.ts';
import { AgentFault, RetryableError } from '../errors.ts';
import { blobHash, fractionOf, type Owner } from '../ids.ts';
import { type Json, jsonBytes, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Artifact, Message } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { DelegateLook, DelegateSpec, Recorded, StepResult, TurnHost } from '../turn-host.ts';
import type { AnswerError, AskSpec } from '../question/types.ts';
import type { Delegate } from '../delegate.ts';
import type { Child, Kept, StepRecord } from '../task.ts';
import { grantedAuth } from '../transition/auth.ts';
import { closedAsk } from '../transition/turn.ts';
import { entryAt, said } from '../view/entries.ts';
import { resolveKept } from '../view/kept.ts';
import { fromStep, messagesIn, readCredential, readKey } from './turn-records.ts';
import { TurnHolds } from './turn-holds.ts';
import type { TurnWriter } from './turn-writer.ts';

export class StoreTurnHost implements TurnHost {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: Owner;
  readonly request: Message;
  readonly turn: number;
  /** Something was recorded since the claim: a worker that yields has not been in vain. */
  progressed = false;
  readonly #deps: Deps;
  readonly #writer: TurnWriter;
  readonly #records: Map<number, Recorded>;
  readonly #read: Set<string>;
  readonly #holds: TurnHolds;

  constructor(
    deps: Deps,
    writer: TurnWriter,
    journal: { request: Message; owner: Owner; records: Map<number, Recorded>; read: ReadonlySet<string> },
  ) {
    this.#deps = deps;
    this.#writer = writer;
    this.#records = journal.records;
    this.#read = new Set(journal.read);
    this.#holds = new TurnHolds(deps, writer, journal.records);
    this.taskId = writer.head.taskId;
    this.contextId = writer.head.contextId;
    this.owner = journal.owner;
    this.request = journal.request;
    this.turn = writer.head.turn.n;
  }

  get signal(): AbortSignal {
    return this.#writer.signal;
  }

  get over(): boolean {
    return this.#writer.over;
  }

  nowMs(): number {
    return this.#deps.clock.now();
  }

  sleep(ms: number): Promise<void> {
    return this.#deps.clock.sleep(ms, this.signal);
  }

  random(): number {
    return fractionOf(this.#deps.ids.unique());
  }

  recorded(call: number): Recorded | undefined {
    return this.#records.get(call);
  }

  get lastRecorded(): number {
    return Math.max(0, ...this.#records.keys());
  }

  async record(call: number, kind: Recorded['kind'], name: string, result: StepResult): Promise<Recorded> {
    const { step, children } = this.#step(call, kind, name, result);
    if (kind === 'ask') return this.#pass(call, name, result);
    if (kind === 'auth') return this.#used(call, name, result);
    if (kind === 'hold') {
      this.progressed = true;
      return this.#holds.acquired(call, name, result);
    }
    this.#writer.leavesSteps();
    const standing = await this.#orLeave(() => this.#deps.store.putStep(this.#writer.head, step, children));
    const recorded = await this.#orLeave(() => fromStep(this.#deps, this.#writer.head, standing));
    this.progressed = true;
    this.#records.set(call, recorded);
    return recorded;
  }

  async #pass(call: number, name: string, result: StepResult): Promise<Recorded> {
    if (!('ok' in result)) throw new AgentFault('BAD_CALL', `call ${call}: an ask comes to an answer, not to an error`);
    await this.#writer.write({ type: 'pass-answer', call, value: result.ok });
    this.progressed = true;
    const recorded: Recorded = { kind: 'ask', name, checked: result.ok };
    this.#records.set(call, recorded);
    return recorded;
  }

  /** The size of the result has been looked at by `#step`. */
  async #used(call: number, name: string, result: StepResult): Promise<Recorded> {
    await this.#writer.write({ type: 'use-auth', call, result });
    this.progressed = true;
    const recorded: Recorded = { kind: 'auth', name, result };
    this.#records.set(call, recorded);
    return recorded;
  }

  #step(call: number, kind: Recorded['kind'], name: string, result: StepResult) {
    if (call > limits.stepsPerTask) {
      throw new AgentFault('LIMIT_EXCEEDED', `a task may make at most ${limits.stepsPerTask} calls`);
    }
    const children: Child[] = [];
    const step = (stored: StepRecord['result']): { step: StepRecord; children: Child[] } => ({
      step: { call, kind, name, result: stored },
      children,
    });
    if ('error' in result) return step(result);
    const json = JSON.stringify(result.ok);
    const bytes = Buffer.byteLength(json);
    // What callers send is bounded when it is received: it must not fail the agent's code.
    if (bytes > limits.stepResultBytes && kind !== 'inbox') {
      const most = limits.stepResultBytes;
      throw new AgentFault(
        'LIMIT_EXCEEDED',
        `the result of "${name}" has ${bytes} bytes; at most ${most} are recorded`,
      );
    }
    if (bytes <= limits.itemInlineBytes) return step({ ok: { value: result.ok } });
    const blob = blobHash(json);
    children.push({ kind: 'blob', hash: blob, json });
    const kept: Kept<Json> = { blob, bytes };
    return step({ ok: kept });
  }

  ask(call: number, spec: AskSpec): Promise<never> {
    return this.#writer.writeAndLeave({ type: 'ask', call, spec });
  }

  async reask(call: number, errors: readonly AnswerError[]): Promise<never> {
    const { questionSeq } = closedAsk(this.#writer.head, call);
    const question = await this.#orLeave(() => this.#messageAt(questionSeq));
    return this.#writer.writeAndLeave({ type: 'reask', call, question, errors });
  }

  async requireAuth(call: number, spec: AuthSpec): Promise<never> {
    const problem = noCallbacksBecause(this.#deps);
    if (problem !== undefined) throw new AgentFault('BAD_CALL', `requireAuth "${spec.name}": ${problem}`);
    const { taskId, owner, bornMs, used } = this.#writer.head;
    // Only the lease holder counts up, so it is still the next one when it is written.
    const authId = authIdOf(taskId, used.asks + 1);
    const place = { kind: 'auth', taskId, owner, bornMs, id: authId } as const;
    const url = await this.#orLeave(() => callbackUrl(this.#deps, place));
    return this.#writer.writeAndLeave({ type: 'require-auth', call, spec, authId, callbackUrl: url });
  }

  async credential(call: number): Promise<Json> {
    const record = grantedAuth(this.#writer.head, call);
    return this.#orLeave(() => readCredential(this.#deps, this.#writer.head, record));
  }

  async artifact(
    call: number,
    name: string,
    chunk: { artifact: Artifact; append: boolean; lastChunk: boolean },
  ): Promise<void> {
    const { used } = this.#writer.head;
    const waiting = this.#writer.waiting.filter((event) => event.kind === 'artifact');
    const count = used.artifacts + waiting.filter((event) => !event.append).length + (chunk.append ? 0 : 1);
    const artifacts = [...waiting.map(({ artifact }) => artifact), chunk.artifact];
    const bytes = artifacts.reduce((sum, artifact) => sum + jsonBytes(artifact), used.artifactBytes);
    if (count > limits.artifactsPerTask || bytes > limits.artifactBytesPerTask) {
      throw new AgentFault(
        'LIMIT_EXCEEDED',
        `a task may have ${limits.artifactsPerTask} artifacts and ${limits.artifactBytesPerTask} bytes of them; artifact "${name}" is over`,
      );
    }
    if (this.#hasToldAll()) {
      throw new AgentFault(
        'LIMIT_EXCEEDED',
        `a task may have ${limits.eventsPerTask} events; artifact "${name}" is over`,
      );
    }
    this.progressed = true;
    this.#records.set(call, { kind: 'artifact', name });
    await this.#writer.emit({ kind: 'artifact', calls: [{ call, name }], ...chunk });
  }

  progress(text: string, metadata?: JsonObject): void {
    // Nobody needs the 10,001st word on how it goes; the work itself may go on.
    if (this.#hasToldAll()) return;
    // Nobody waits for progress; a full head is told at the next call that is awaited.
    this.#writer.emit({ kind: 'progress', text, ...(metadata ? { metadata } : {}) }).catch(() => undefined);
  }

  async inbox(call: number): Promise<readonly Message[]> {
    for (;;) {
      const { unread } = this.#writer.head;
      if (unread.length === 0) return [];
      const all = await this.#orLeave(() => Promise.all(unread.map((seq) => this.#messageAt(seq))));
      const fresh = all.filter((message) => !this.#read.has(readKey(message)));
      // An earlier attempt read all of it and could not mark it. Finding nothing is not recorded here: a message that
      // comes while these are marked would never be read.
      const given = fresh.length === 0 ? [] : await this.#recordRead(call, fresh);
      // A worker back from the dead may have recorded an older read: what that one had not seen stays unread.
      const seqs = unread.filter((_seq, at) => this.#read.has(readKey(all[at] as Message)));
      if (seqs.length > 0) await this.#writer.write({ type: 'read-inbox', seqs });
      if (fresh.length > 0) return given;
    }
  }

  async #recordRead(call: number, fresh: readonly Message[]): Promise<readonly Message[]> {
    const given = messagesIn(await this.record(call, 'inbox', 'inbox', { ok: fresh as unknown as Json }));
    for (const message of given) this.#read.add(readKey(message));
    return given;
  }

  #hasToldAll(): boolean {
    return this.#writer.head.generation + this.#writer.waiting.length >= limits.eventsPerTask;
  }

  async openDelegate(call: number, spec: DelegateSpec): Promise<Message> {
    const stands = this.delegated(call)?.message;
    if (stands) return this.#orLeave(() => resolveKept(this.#deps.store, this.#writer.head, stands));
    await this.#writer.write({ type: 'delegate', call, ...spec });
    return spec.message;
  }

  delegated(call: number): Delegate | undefined {
    return this.#writer.head.delegates?.find((one) => one.call === call && !one.undo);
  }

  async closeDelegate(call: number, how: 'ended' | 'cancel'): Promise<void> {
    if (this.delegated(call)) await this.#writer.write({ type: 'close-delegate', call, how });
  }

  park(call: number, look: DelegateLook): Promise<never> {
    return this.#writer.writeAndLeave({ type: 'park', call, look });
  }

  async delegateCallback(call: number): Promise<string | undefined> {
    if (noCallbacksBecause(this.#deps) !== undefined) return undefined;
    const { owner, bornMs } = this.#writer.head;
    const place = { kind: 'delegate', taskId: this.taskId, owner, bornMs, id: String(call) } as const;
    return this.#orLeave(() => callbackUrl(this.#deps, place));
  }

  reserve(call: number, name: string, forMs: number): Promise<number> {
    return this.#holds.reserve(call, name, forMs);
  }

  confirm(call: number, name: string, hold: number): Promise<Recorded> {
    this.progressed = true;
    return this.#holds.confirm(call, name, hold);
  }

  release(call: number, name: string, hold: number, confirmed?: { readonly value: Json }): Promise<Recorded> {
    this.progressed = true;
    return this.#holds.release(call, name, hold, confirmed);
  }

  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never> {
    return this.#writer.writeAndLeave({ type: 'end', state, reason });
  }

  yield(): Promise<never> {
    const { progressed } = this;
    return this.#writer.writeAndLeave({ type: 'yield', progressed });
  }

  async #messageAt(seq: number): Promise<Message> {
    const { head } = this.#writer;
    const entry = await entryAt(this.#deps.store, head, seq);
    const kept = entry && said(entry);
    if (!kept) throw new Error(`task ${head.taskId} has no message at ${seq}`);
    return resolveKept(this.#deps.store, head, kept);
  }

  /** A store that fails ends the turn here; the author's code never sees it. */
  async #orLeave<T>(read: () => T | Promise<T>): Promise<T> {
    if (this.#writer.over) return this.#writer.leave('lease-lost');
    try {
      const value = await read();
      return this.#writer.over ? await this.#writer.leave('lease-lost') : value;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      this.#deps.log.error('the store failed during a turn; the sweeper takes over when the lease ends', { error });
      return this.#writer.leave('store-failed');
    }
  }
}
