/**
 * Where one reader stands in a task's events: what it has had, and whether the task paused before its eyes. Reads the
 * head's log, and LOG items where the reader lags behind it.
 */
import { isInterrupted, type StreamResponse, type TaskState } from '../message.ts';
import type { TaskStore } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { pagesFrom } from '../view/entries.ts';
import { isEvent, viewEvent } from '../view/view-event.ts';

export interface DeliveredEvent {
  readonly generation: number;
  readonly event: StreamResponse;
}

export class EventCursor {
  readonly #store: TaskStore;
  #seq: number;
  #generation: number;
  #state: TaskState;
  #paused: boolean;

  private constructor(store: TaskStore, at: { seq: number; generation: number; state: TaskState; paused: boolean }) {
    this.#store = store;
    this.#seq = at.seq;
    this.#generation = at.generation;
    this.#state = at.state;
    this.#paused = at.paused;
  }

  /** For a reader who has seen this head: `paused`, if the head being interrupted is to count as a pause of its own. */
  static at(store: TaskStore, head: TaskHead, paused: boolean): EventCursor {
    const { seq, generation, status } = head;
    return new EventCursor(store, { seq, generation, state: status.state, paused });
  }

  /**
   * For a reader whose last event had this generation. An event's seq is never below its generation, so reading begins
   * at that seq: what comes before the reader's own event tells only in which state that left the task.
   */
  static after(store: TaskStore, generation: number): EventCursor {
    const seq = Math.max(0, generation - 1);
    return new EventCursor(store, { seq, generation, state: 'TASK_STATE_WORKING', paused: false });
  }

  /** Of the newest event that was delivered, or seen with the task. */
  get generation(): number {
    return this.#generation;
  }

  /** The task became interrupted while this reader was reading, and still is. A reminder is no new interruption. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Every event between the reader and this head, once, in order of generation. */
  async *upTo(head: TaskHead): AsyncGenerator<DeliveredEvent, void, undefined> {
    for await (const page of pagesFrom(this.#store, head, this.#seq + 1)) {
      for (const entry of page) {
        this.#seq = entry.seq;
        if (!isEvent(entry)) continue;
        const before = this.#state;
        this.#state = entry.state ?? before;
        if (entry.generation <= this.#generation) continue;
        this.#generation = entry.generation;
        this.#paused = isInterrupted(this.#state) && (this.#paused || !isInterrupted(before));
        yield { generation: entry.generation, event: await viewEvent(this.#store, head, entry) };
      }
    }
  }
}
