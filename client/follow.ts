/**
 * Follows one task until it has ended or waits for its caller, by whatever means the agent offers: the stream of the
 * message that was sent, a stream taken up again, polls. Which of them works is found out, not configured. What is
 * told on the way goes to `onUpdate`.
 */
import type { Message, StreamResponse, Task } from '../core/message.ts';
import { type AgentCalls, RETRY_MS } from './agent-calls.ts';
import { AgentMisbehavedError } from './errors.ts';
import type { LiveStream, Read } from './live-stream.ts';
import { isRefusal } from './refusals.ts';
import { generationOf, type Standing, TaskView } from './task-view.ts';
import type { PushConfig, TaskUpdate } from './types.ts';

const POLL_MS = { first: 250, factor: 1.5, longest: 10_000 } as const;
/** A stream that says nothing for so long may be dead: the task is looked at beside it. */
const SILENCE_MS = 30_000;
/** Streams in a row that brought nothing, before polling takes over. */
const EMPTY_STREAMS = 3;

/** Where a task came to rest, or the message that was sent instead of one. */
export type Rest = { readonly task: Standing } | { readonly message: Message };

export class Follower {
  readonly view = new TaskView();
  readonly #calls: AgentCalls;
  readonly #onUpdate: (update: TaskUpdate) => void;
  #live: LiveStream | undefined;
  /** A stream that was taken up again shows the task as it is and then tells what was missed: up to here. */
  #catchUp: { from: number; to?: number } | undefined;
  #streams: boolean;
  /** What `onUpdate` threw. */
  #thrown: { readonly error: unknown } | undefined;

  constructor(calls: AgentCalls, onUpdate: (update: TaskUpdate) => void) {
    this.#calls = calls;
    this.#onUpdate = onUpdate;
    this.#streams = calls.agent.streams;
  }

  /** The open stream, if there is one. */
  get live(): LiveStream | undefined {
    return this.#live;
  }

  close(): void {
    this.#live?.close();
    this.#leave();
  }

  #leave(): void {
    this.#live = undefined;
    this.#catchUp = undefined;
  }

  /**
   * Sends a message and takes in the first thing that comes back.
   * @param key of the question that the message answers: what comes back is no echo, even if it repeats its words
   * @throws what the call throws
   */
  async send(message: Message, { push, key }: { push?: PushConfig | undefined; key?: string } = {}): Promise<void> {
    if (!this.#streams) {
      const sent = await this.#calls.send(message, true, push);
      if (key !== undefined) this.view.forget(key);
      this.take(sent);
      return;
    }
    this.close();
    const live = this.#calls.stream(message, push);
    const read = await live.ahead();
    this.#calls.signal.throwIfAborted();
    if (read.kind === 'cut') throw read.error;
    // A stream without a single event told nothing; the next look at the task will.
    if (read.kind === 'end') return;
    live.take();
    this.#live = live;
    if (key !== undefined) this.view.forget(key);
    this.take(read.event);
  }

  /** Sends beside the open stream, which goes on telling. @throws what the call throws */
  async sendBeside(message: Message): Promise<void> {
    this.take(await this.#calls.send(message, false));
  }

  async look(taskId: string): Promise<Task> {
    const task = await this.#calls.get(taskId);
    this.take({ task });
    return task;
  }

  take(event: StreamResponse): void {
    this.view.apply(event);
    try {
      this.#onUpdate(event);
    } catch (error) {
      // Thrown where it is not taken for a failure of the agent's.
      this.#thrown ??= { error };
    }
  }

  /** @throws AgentUnreachableError, AgentMisbehavedError; the agent's refusal to show the task */
  async untilRest(): Promise<Rest> {
    for (let subscribed = 0, empty = 0; !this.#rests; ) {
      if (this.#thrown) throw this.#thrown.error;
      const taskId = this.#taskId();
      if (!this.#live && this.#streams && empty < EMPTY_STREAMS) {
        if (subscribed > 0) await this.#calls.sleep(RETRY_MS[empty] ?? POLL_MS.longest);
        subscribed += 1;
        this.#subscribe(taskId);
      }
      if (!this.#live) {
        await this.#poll(taskId);
        continue;
      }
      const read = await this.#readOrLook(this.#live, taskId);
      if (read === 'looked') continue;
      if (read.kind === 'event') {
        if (!('task' in read.event)) empty = 0;
        this.#live.take();
        this.take(read.event);
        this.#caughtUp(read.event);
      } else {
        empty += 1;
        await this.#afterStream(read, taskId);
      }
    }
    if (this.#thrown) throw this.#thrown.error;
    const { reply, standing } = this.view;
    return reply ? { message: reply } : { task: standing as Standing };
  }

  /** Settled, and what this stream is still going to tell of before that has been told. */
  get #rests(): boolean {
    return this.view.settled && this.#catchUp?.to === undefined;
  }

  #subscribe(taskId: string): void {
    const { generation } = this.view;
    this.#live = this.#calls.subscribe(taskId, generation);
    this.#catchUp = generation === undefined ? undefined : { from: generation };
  }

  #caughtUp(event: StreamResponse): void {
    const { generation } = this.view;
    if (!this.#catchUp || generation === undefined) return;
    if ('task' in event) {
      this.#catchUp = generation > this.#catchUp.from ? { ...this.#catchUp, to: generation } : undefined;
    } else if (this.#catchUp.to !== undefined && eventGeneration(event) >= this.#catchUp.to) {
      this.#catchUp = undefined;
    }
  }

  #taskId(): string {
    const { standing } = this.view;
    if (!standing) throw new AgentMisbehavedError('the agent took the message and told of no task');
    return standing.id;
  }

  async #readOrLook(live: LiveStream, taskId: string): Promise<Read | 'looked'> {
    const { clock, signal } = this.#calls;
    const woken = new AbortController();
    const silence = clock.sleep(SILENCE_MS, AbortSignal.any([woken.signal, signal]));
    const read = await Promise.race([live.ahead(), silence.then(() => 'silence' as const)]);
    woken.abort();
    signal.throwIfAborted();
    if (read !== 'silence') return read;
    await this.look(taskId);
    if (this.view.settled) this.close();
    return 'looked';
  }

  /** A stream is over. A task that has ended cannot be subscribed to: whatever the reason, the task itself knows. */
  async #afterStream(read: Exclude<Read, { kind: 'event' }>, taskId: string): Promise<void> {
    this.#leave();
    if (this.view.settled || read.kind === 'end' || !isRefusal(read.error)) return;
    this.#streams = false;
    await this.look(taskId);
  }

  async #poll(taskId: string): Promise<void> {
    let delay: number = POLL_MS.first;
    for (;;) {
      await this.#calls.sleep(delay);
      await this.look(taskId);
      if (this.view.settled) return;
      delay = Math.min(delay * POLL_MS.factor, POLL_MS.longest);
    }
  }
}

/** Infinity where the agent counts none: then there is nothing to wait for. */
function eventGeneration(event: StreamResponse): number {
  const update =
    'statusUpdate' in event ? event.statusUpdate : 'artifactUpdate' in event ? event.artifactUpdate : undefined;
  return generationOf(update?.metadata) ?? Number.POSITIVE_INFINITY;
}
