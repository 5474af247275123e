/**
 * The head as the lease holder writes it: one write at a time, decided again when somebody else's came first, over
 * when the lease is lost. Events wait here for the next write, at most 250 ms.
 */
import { AgentFault } from '../errors.ts';
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import type { EmitEvent, Transition, TurnCommand } from '../transition/command.ts';
import { isSurelySmall } from '../transition/move-out.ts';
import { transition } from '../transition/transition.ts';
import { decideAndSave } from './change.ts';

type Unsigned<T> = T extends TurnCommand ? Omit<T, 'token' | 'steps' | 'events'> : never;
/** A command without what the writer adds: the lease token, the waiting events, and whether there are STEP items. */
export type TurnWrite = Unsigned<TurnCommand>;

/** Renewing a lease, marking messages as read and passing an answer say nothing. */
const CARRIES_EVENTS: Readonly<Record<TurnWrite['type'], boolean>> = {
  emit: true,
  ask: true,
  reask: true,
  end: true,
  yield: true,
  renew: false,
  'require-auth': true,
  'use-auth': false,
  'read-inbox': false,
  'pass-answer': false,
  'fail-attempt': true,
  delegate: false,
  park: true,
  'close-delegate': false,
  reserve: false,
  acquired: false,
  confirm: false,
  release: false,
};

/** One for all turns: to make one, with its stack, costs more than the rest of a turn's end. */
const TURN_OVER = new DOMException('The turn is over', 'AbortError');

/** Why a turn is over. */
export type Leave = 'ended' | 'lease-lost' | 'store-failed';

export class TurnWriter {
  head: TaskHead;
  readonly left: Promise<Leave>;
  readonly #deps: Deps;
  readonly #token: string;
  #abort: AbortController | undefined;
  #leave: (why: Leave) => void = () => undefined;
  #over = false;
  #steps: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #events: EmitEvent[] = [];
  #flushing = false;
  #stopFlush: () => void = () => undefined;

  constructor(deps: Deps, head: TaskHead, token: string) {
    this.#deps = deps;
    this.head = head;
    this.#token = token;
    // An earlier attempt may have recorded steps and died before it could say so.
    this.#steps = head.turn.attempts > 1;
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  get over(): boolean {
    return this.#over;
  }

  /** Aborts when the turn is over. Made when somebody asks for it: most turns come without. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort(TURN_OVER);
    return this.#abort.signal;
  }

  /** A STEP item is about to be put: every write from now on says so. */
  leavesSteps(): void {
    this.#steps = true;
  }

  /** What the next write will carry. */
  get waiting(): readonly EmitEvent[] {
    return this.#events;
  }

  /** Writes and goes on. Never settles once the turn is over; rejects only with AgentFault. */
  async write(command: TurnWrite): Promise<void> {
    const why = await this.#queued(command);
    if (why) await this.leave(why);
  }

  /** Writes and goes on; why not, where the turn is over or could not be written, and leaves that to its caller. */
  async tryWrite(command: TurnWrite): Promise<Leave | undefined> {
    return this.#over ? 'lease-lost' : this.#queued(command);
  }

  /** Writes and ends the turn: never settles, unless it rejects with AgentFault because of the author's mistake. */
  async writeAndLeave(command: TurnWrite): Promise<never> {
    return this.leave((await this.#queued(command)) ?? 'ended');
  }

  /** Ends the turn for this worker. What it returns never settles, so the author's code stays where it is. */
  leave(why: Leave): Promise<never> {
    if (!this.#over) {
      this.#over = true;
      this.#leave(why);
      this.#abort?.abort(TURN_OVER);
      this.#stopFlush();
    }
    return new Promise<never>(() => undefined);
  }

  /** Adds an event to the next write, and sees to it that there is one. Resolves late when too much is waiting. */
  async emit(event: EmitEvent): Promise<void> {
    if (this.#over) return this.leave('lease-lost');
    this.#events = join(this.#events, event);
    if (jsonBytes(this.#events) > limits.waitingEventBytes) {
      return this.write({ type: 'emit' });
    }
    if (!this.#flushing) {
      this.#flushing = true;
      this.#stopFlush = this.#deps.clock.after(limits.progressIntervalMs, () => void this.#flush());
    }
  }

  async #flush(): Promise<void> {
    this.#flushing = false;
    if (this.#over || this.#events.length === 0) return;
    // A head that is too full is the author's to hear of, at the next call that waits; until then the events wait.
    await this.write({ type: 'emit' }).catch(() => undefined);
  }

  /** One write at a time; a fault of one does not stop the next. */
  #queued(command: TurnWrite): Promise<Leave | undefined> {
    const run = this.#last.then(() => this.#commit(command));
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Undefined when written. */
  async #commit(write: TurnWrite): Promise<Leave | undefined> {
    // What a write does not carry waits for the next one that does.
    const events = CARRIES_EVENTS[write.type] ? this.#events : [];
    if (CARRIES_EVENTS[write.type]) this.#events = [];
    const steps = this.#steps && !this.head.steps ? { steps: true } : {};
    const command = { ...write, ...steps, events, token: this.#token } as TurnCommand;
    try {
      const written = await decideAndSave(this.#deps, this.head, (head) => {
        this.head = head;
        return this.#over ? undefined : this.#decide(command, events);
      });
      if (!written.ok) return 'lease-lost';
      this.head = written.head;
      return undefined;
    } catch (error) {
      if (error instanceof AgentFault) throw error;
      this.#deps.log.error('a turn could not be written; the sweeper takes over when the lease ends', { error });
      return 'store-failed';
    }
  }

  /** An author's mistake is thrown to the author; what was waiting to be told waits on. */
  #decide(command: TurnCommand, events: readonly EmitEvent[]): Transition {
    try {
      const next = transition(this.head, command, this.#deps.clock.now());
      if (next.ok) this.#checkSize(next.head, command);
      const tooLarge = next.ok && command.type === 'fail-attempt' && jsonBytes(next.head) > limits.headBytes;
      // A full head may be why the attempt fails: then what was waiting is given up.
      return tooLarge ? transition(this.head, { ...command, events: [] }, this.#deps.clock.now()) : next;
    } catch (fault) {
      this.#events = [...events, ...this.#events];
      throw fault;
    }
  }

  /** Room for the write that ends the task is kept free. */
  #checkSize(next: TaskHead, command: TurnCommand): void {
    if (command.type === 'end' || command.type === 'fail-attempt' || command.type === 'renew') return;
    if (isSurelySmall(next)) return;
    const bytes = jsonBytes(next);
    if (bytes > limits.headBytes - limits.headReserveBytes) {
      throw new AgentFault('HEAD_FULL', `the task's head would have ${bytes} bytes of ${limits.headBytes}`);
    }
  }
}

/**
 * Progress is a state, not a log: only the newest text is worth an event. Chunks of one artifact that follow each other
 * become one chunk.
 */
function join(events: readonly EmitEvent[], next: EmitEvent): EmitEvent[] {
  const last = events.at(-1);
  if (next.kind === 'progress' && last?.kind === 'progress') return [...events.slice(0, -1), next];
  const joins =
    next.kind === 'artifact' &&
    last?.kind === 'artifact' &&
    next.append &&
    next.artifact.artifactId === last.artifact.artifactId;
  if (!joins) return [...events, next];
  const parts = [...last.artifact.parts, ...next.artifact.parts];
  const joined = { ...last, calls: [...last.calls, ...next.calls], lastChunk: next.lastChunk };
  return [...events.slice(0, -1), { ...joined, artifact: { ...last.artifact, parts } }];
}
