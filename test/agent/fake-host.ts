/**
 * A task as the replay layer sees it: a journal, an inbox, and what reached the caller, over as many turns as a test
 * wants. Every turn is a new host on the same journal. A host can crash before or after any of its writes: it then
 * answers nothing any more, as a process that was killed.
 */
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Artifact, Message, TerminalState } from '../../core/message.ts';
import type { Agent } from '../../core/agent.ts';
import type { Recorded, RecordedOutcome, StepResult, TurnHost } from '../../core/turn-host.ts';
import type { AnswerError, AskSpec } from '../../core/question/types.ts';

export type Left =
  | { readonly left: 'returned' }
  | { readonly left: 'threw'; readonly error: unknown }
  | { readonly left: 'asked'; readonly call: number; readonly spec: AskSpec }
  | { readonly left: 'reasked'; readonly call: number; readonly errors: readonly AnswerError[] }
  | { readonly left: 'ended'; readonly state: TerminalState; readonly reason: string }
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
  unread: Message[] = [];
  request: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  nowMs = 1_000;
  random = 0.25;
  turns = 0;
  open: { readonly call: number; readonly spec: AskSpec } | undefined;
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
    host.over = true;
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
  over = false;
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
    if (!this.over) this.#task.beforeRecord(call);
    return this.#write(() => {
      const { records, recorded } = this.#task;
      const stands = records.get(call);
      // What stands wins, except that the checked form of an answer stands over the answer.
      if (stands && !(kind === 'ask' && stands.kind === 'ask' && 'outcome' in stands)) return structuredClone(stands);
      recorded.push(`${kind} ${call} ${name}`);
      records.set(call, structuredClone(recordOf(kind, name, result)));
      return recordOf(kind, name, result);
    });
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

  artifact(call: number, name: string, chunk: Omit<SentChunk, 'call' | 'name'>): Promise<void> {
    return this.#write(() => {
      this.#task.chunks.push({ call, name, ...structuredClone(chunk) });
      this.#task.recorded.push(`artifact ${call} ${name}`);
      this.#task.records.set(call, { kind: 'artifact', name });
    });
  }

  progress(text: string): void {
    if (!this.over) this.#task.progress.push(text);
  }

  async inbox(call: number): Promise<readonly Message[]> {
    if (this.over) return never();
    const messages = this.#task.unread;
    if (messages.length === 0) return [];
    await this.record(call, 'inbox', 'inbox', { ok: messages as unknown as Json });
    this.#task.unread = [];
    return messages;
  }

  end(state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED', reason: string): Promise<never> {
    return this.#last(() => ({ left: 'ended', state, reason }));
  }

  yield(): Promise<never> {
    throw new Error('the runner yields, not the replay layer');
  }

  async #write<T>(write: () => T): Promise<T> {
    await Promise.resolve();
    if (this.over) return never();
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
    this.over = true;
    this.#leave({ left: 'crashed' });
    return never();
  }
}

function recordOf(kind: Recorded['kind'], name: string, result: StepResult): Recorded {
  if (kind === 'artifact') throw new Error('artifacts are recorded by sending them');
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
