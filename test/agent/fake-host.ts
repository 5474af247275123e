/**
 * A task as the replay layer sees it: a journal, an inbox, and what reached the caller, over as many turns as a test
 * wants. Every turn is a new host on the same journal. A host can crash before or after any of its writes: it then
 * answers nothing any more, as a process that was killed. More than 300 lines, for it plays the whole of one interface.
 */
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Agent } from '../../core/agent.ts';
import type { AuthSpec } from '../../core/auth-request.ts';
import type { Delegate } from '../../core/delegate.ts';
import { AgentFault } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Artifact, Message, TerminalState } from '../../core/message.ts';
import type { AnswerError, AskSpec } from '../../core/question/types.ts';
import type {
  DelegateLook,
  DelegateSpec,
  Recorded,
  RecordedOutcome,
  StepResult,
  TurnHost,
} from '../../core/turn-host.ts';

export type Left =
  | { readonly left: 'returned' }
  | { readonly left: 'threw'; readonly error: unknown }
  | { readonly left: 'asked'; readonly call: number; readonly spec: AskSpec }
  | { readonly left: 'reasked'; readonly call: number; readonly errors: readonly AnswerError[] }
  | { readonly left: 'required'; readonly call: number; readonly spec: AuthSpec }
  | { readonly left: 'ended'; readonly state: TerminalState; readonly reason: string }
  | { readonly left: 'parked'; readonly look: DelegateLook }
  | { readonly left: 'crashed' };

export interface SentChunk {
  readonly call: number;
  readonly name: string;
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** The n-th write of the turn, from 1, and whether it reached the store. */
export interface Crash {
  readonly write: number;
  readonly reached: boolean;
}

const CARD = {
  name: 'Test agent',
  description: 'For tests.',
  version: '1.0.0',
  skills: [{ id: 's', name: 'S', description: 'Does s.', tags: [] }],
};

export function agentOf(run: (turn: Turn) => Promise<void> | void): Agent {
  return defineAgent({ card: CARD, run });
}

export class FakeTask {
  readonly records = new Map<number, Recorded>();
  /** Every record made, in order, as `step 1 name`. */
  readonly recorded: string[] = [];
  readonly chunks: SentChunk[] = [];
  readonly progress: string[] = [];
  readonly asked: AskSpec[] = [];
  readonly slept: number[] = [];
  /** What was written before it was reserved, as `seat for 600000`. */
  readonly holds: string[] = [];
  /** The call of each hold, in the order of their ordinals. */
  readonly reserved: number[] = [];
  /** Ordinals of the holds that are over: a test says when. */
  readonly over = new Set<number>();
  /** What the code has given back, and what of it had been confirmed. */
  readonly givenBack: string[] = [];
  /** Sub-tasks that were begun and not closed, by call. */
  readonly delegates = new Map<number, Delegate>();
  /** What was sent on the way to the head for them, in order. */
  readonly closed: string[] = [];
  callback: string | undefined;
  unread: Message[] = [];
  request: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  nowMs = 1_000;
  random = 0.25;
  turns = 0;
  open: { readonly call: number; readonly spec: AskSpec } | undefined;
  required: { readonly call: number; readonly spec: AuthSpec } | undefined;
  readonly credentials = new Map<number, Json>();
  /** The turn that runs, to be aborted by a test. */
  abort = new AbortController();
  /** Called before each `record`, so that a test can let somebody else be faster. */
  beforeRecord: (call: number) => void = () => undefined;

  /** Runs one turn. */
  async turn(agent: Agent | ((turn: Turn) => Promise<void>), crash?: Crash): Promise<Left> {
    this.turns++;
    this.abort = new AbortController();
    let leave: (left: Left) => void = () => undefined;
    const left = new Promise<Left>((resolve) => {
      leave = resolve;
    });
    const host = new FakeHost(this, leave, crash);
    const running = (typeof agent === 'function' ? agentOf(agent) : agent).run(host).then(
      (): Left => ({ left: 'returned' }),
      (error: unknown): Left => ({ left: 'threw', error }),
    );
    const result = await Promise.race([running, left]);
    host.left = true;
    return result;
  }

  /** The caller's answer, as the API accepted it. */
  answer(value: Json): void {
    this.#settle({ outcome: 'answered', value });
  }

  answerText(text: string): void {
    this.#settle({ outcome: 'answered', text });
  }

  decline(reason?: string): void {
    this.#settle({ outcome: 'declined', ...(reason === undefined ? {} : { reason }) });
  }

  /** At the expiry of an ask that says `resume` or names a default. */
  expire(): void {
    const { onExpire } = this.#opened().spec;
    if (onExpire?.then === 'default') this.#settle({ outcome: 'defaulted', value: onExpire.value });
    else if (onExpire?.then === 'resume') this.#settle({ outcome: 'expired' });
    else throw new Error('this ask ends the task at its expiry');
  }

  grant(credential: Json): void {
    this.#authorised({ authorisation: 'granted' }, credential);
  }

  declineAuth(reason?: string): void {
    this.#authorised({ authorisation: 'declined', ...(reason === undefined ? {} : { reason }) });
  }

  expireAuth(): void {
    this.#authorised({ authorisation: 'expired' });
  }

  #authorised(outcome: { authorisation: 'granted' | 'declined' | 'expired'; reason?: string }, credential?: Json) {
    if (!this.required) throw new Error('no authorisation is required');
    const { call, spec } = this.required;
    this.required = undefined;
    this.records.set(call, { kind: 'auth', name: spec.name, ...outcome });
    if (credential !== undefined) this.credentials.set(call, credential);
  }

  #opened() {
    if (!this.open) throw new Error('no question is open');
    return this.open;
  }

  #settle(outcome: RecordedOutcome): void {
    const { call, spec } = this.#opened();
    this.open = undefined;
    this.records.set(call, { kind: 'ask', name: spec.name, outcome });
  }
}

class FakeHost implements TurnHost {
  readonly taskId = 'task-1';
  readonly contextId = 'ctx-1';
  readonly owner = { tenant: 't', principal: 'p' };
  readonly signal: AbortSignal;
  left = false;
  #writes = 0;
  readonly #task: FakeTask;
  readonly #leave: (left: Left) => void;
  readonly #crash: Crash | undefined;

  constructor(task: FakeTask, leave: (left: Left) => void, crash: Crash | undefined) {
    this.#task = task;
    this.#leave = leave;
    this.#crash = crash;
    this.signal = task.abort.signal;
  }

  get over(): boolean {
    return this.signal.aborted;
  }

  get request(): Message {
    return this.#task.request;
  }

  get turn(): number {
    return this.#task.turns;
  }

  get lastRecorded(): number {
    return Math.max(0, ...this.#task.records.keys());
  }

  nowMs(): number {
    return this.#task.nowMs;
  }

  async sleep(ms: number): Promise<void> {
    this.#task.slept.push(ms);
  }

  random(): number {
    return this.#task.random;
  }

  recorded(call: number): Recorded | undefined {
    const stands = this.#task.records.get(call);
    return stands && (structuredClone(stands) as Recorded);
  }

  async record(call: number, kind: Recorded['kind'], name: string, result: StepResult): Promise<Recorded> {
    if (!this.left) this.#task.beforeRecord(call);
    return this.#write(() => {
      const { records, recorded } = this.#task;
      const stands = records.get(call);
      // What stands wins, except over an answer its checked form, and over a credential what was made of it.
      const waits =
        (kind === 'ask' || kind === 'auth') && stands?.kind === kind && !('result' in stands || 'checked' in stands);
      if (stands && !waits) return structuredClone(stands);
      recorded.push(`${kind} ${call} ${name}`);
      const record = kind === 'hold' ? this.#held(call, name, result) : recordOf(kind, name, result);
      records.set(call, structuredClone(record));
      return record;
    });
  }

  #held(call: number, name: string, result: StepResult): Recorded {
    const n = this.#task.reserved.lastIndexOf(call) + 1;
    return this.#task.over.has(n) && 'ok' in result
      ? { kind: 'hold', name, n, gone: true }
      : { kind: 'hold', name, n, result };
  }

  ask(call: number, spec: AskSpec): Promise<never> {
    return this.#last(() => {
      const stored = JSON.parse(JSON.stringify(spec)) as AskSpec;
      this.#task.asked.push(stored);
      this.#task.open = { call, spec: stored };
      return { left: 'asked', call, spec: stored };
    });
  }

  async reask(call: number, errors: readonly AnswerError[]): Promise<never> {
    const stands = this.#task.records.get(call);
    if (stands?.kind !== 'ask' || !('outcome' in stands)) throw new AgentFault('BAD_CALL', 'not an answered ask');
    return this.#last(() => {
      this.#task.records.delete(call);
      const spec = this.#task.asked.findLast(({ name }) => name === stands.name) as AskSpec;
      this.#task.open = { call, spec };
      return { left: 'reasked', call, errors };
    });
  }

  requireAuth(call: number, spec: AuthSpec): Promise<never> {
    return this.#last(() => {
      const stored = JSON.parse(JSON.stringify(spec)) as AuthSpec;
      this.#task.required = { call, spec: stored };
      return { left: 'required', call, spec: stored };
    });
  }

  async credential(call: number): Promise<Json> {
    const credential = this.#task.credentials.get(call);
    if (credential === undefined) throw new Error(`call ${call} has no credential`);
    return credential;
  }

  artifact(call: number, name: string, chunk: Omit<SentChunk, 'call' | 'name'>): Promise<void> {
    return this.#write(() => {
      this.#task.chunks.push({ call, name, ...structuredClone(chunk) });
      this.#task.recorded.push(`artifact ${call} ${name}`);
      this.#task.records.set(call, { kind: 'artifact', name });
    });
  }

  progress(text: string): void {
    if (!this.left) this.#task.progress.push(text);
  }

  async inbox(call: number): Promise<readonly Message[]> {
    if (this.left) return never();
    const messages = this.#task.unread;
    if (messages.length === 0) return [];
    await this.record(call, 'inbox', 'inbox', { ok: messages as unknown as Json });
    this.#task.unread = [];
    return messages;
  }

  openDelegate(call: number, { name, agent, message }: DelegateSpec): Promise<Message> {
    const { delegates, nowMs } = this.#task;
    const stands = delegates.get(call)?.message;
    if (stands && 'value' in stands) return Promise.resolve(stands.value);
    return this.#write(() => {
      delegates.set(call, { call, n: delegates.size + 1, name, agent, openedAtMs: nowMs, message: { value: message } });
      return message;
    });
  }

  delegated(call: number): Delegate | undefined {
    return this.#task.delegates.get(call);
  }

  closeDelegate(call: number, how: 'ended' | 'cancel'): Promise<void> {
    if (!this.#task.delegates.has(call)) return Promise.resolve();
    return this.#write(() => {
      this.#task.delegates.delete(call);
      this.#task.closed.push(`${how} ${call}`);
    });
  }

  park(_call: number, look: DelegateLook): Promise<never> {
    return this.#last(() => {
      const { delegates, nowMs } = this.#task;
      const { silentSinceMs, ...entry } = delegates.get(look.delegate) as Delegate;
      const silent = look.silent ? { silentSinceMs: silentSinceMs ?? nowMs } : {};
      delegates.set(look.delegate, { ...entry, ...(look.subTask ? { subTask: look.subTask } : {}), ...silent });
      return { left: 'parked', look };
    });
  }

  async delegateCallback(call: number): Promise<string | undefined> {
    return this.#task.callback && `${this.#task.callback}/${call}`;
  }

  /** As the head does it: a hold that a worker before has begun, and that is not over, is taken up again. */
  reserve(call: number, name: string, forMs: number): Promise<number> {
    return this.#write(() => {
      const { holds, reserved, over } = this.#task;
      const begun = reserved.lastIndexOf(call) + 1;
      if (begun > 0 && !over.has(begun)) return begun;
      holds.push(`${name} for ${forMs}`);
      return reserved.push(call);
    });
  }

  confirm(call: number, name: string, hold: number): Promise<Recorded> {
    return this.#settle({ kind: 'confirm', name, done: !this.#task.over.has(hold) }, call);
  }

  release(call: number, name: string, hold: number, confirmed?: { readonly value: Json }): Promise<Recorded> {
    const was = confirmed ? `, confirmed as ${JSON.stringify(confirmed.value)}` : '';
    this.#task.givenBack.push(`hold ${hold}${was}`);
    return this.#settle({ kind: 'release', name, done: true }, call);
  }

  #settle(record: Extract<Recorded, { kind: 'confirm' | 'release' }>, call: number): Promise<Recorded> {
    return this.#write(() => {
      this.#task.recorded.push(`${record.kind} ${call} ${record.name}`);
      this.#task.records.set(call, record);
      return record;
    });
  }

  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never> {
    return this.#last(() => ({ left: 'ended', state, reason }));
  }

  yield(): Promise<never> {
    throw new Error('the runner yields, not the replay layer');
  }

  async #write<T>(write: () => T): Promise<T> {
    await Promise.resolve();
    if (this.left) return never();
    this.#writes++;
    const crashes = this.#writes === this.#crash?.write;
    if (crashes && !this.#crash?.reached) return this.#die();
    const result = write();
    return crashes ? this.#die() : result;
  }

  async #last(write: () => Left): Promise<never> {
    this.#leave(await this.#write(write));
    return never();
  }

  #die(): Promise<never> {
    this.left = true;
    this.#leave({ left: 'crashed' });
    return never();
  }
}

function recordOf(kind: Recorded['kind'], name: string, result: StepResult): Recorded {
  if (kind === 'artifact') throw new Error('artifacts are recorded by sending them');
  if (kind === 'auth') return { kind, name, result };
  if (kind === 'hold' || kind === 'confirm' || kind === 'release') throw new Error('holds are settled by their host');
  if (kind !== 'ask') return { kind, name, result };
  if (!('ok' in result)) throw new Error('an answer is never an error');
  return { kind, name, checked: result.ok };
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

/** Lets everything that is ready run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
