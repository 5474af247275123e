/** The events after a generation, in order, for a reader that remembers nothing but that generation. */
import type { TaskStore } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { pagesFrom } from './entries.ts';
import { type EventEntry, isEvent } from './view-event.ts';

export async function* eventsAfter(
  store: TaskStore,
  head: TaskHead,
  generation: number,
): AsyncGenerator<EventEntry, void, undefined> {
  const inHead = head.log.filter(isEvent);
  // Most readers lag by what the head still holds. Otherwise: an event's seq is never below its generation.
  const near = (inHead[0]?.generation ?? Infinity) <= generation + 1;
  const fromSeq = near ? (head.log[0]?.seq ?? 1) : generation + 1;
  for await (const page of pagesFrom(store, head, fromSeq)) {
    for (const entry of page) if (isEvent(entry) && entry.generation > generation) yield entry;
  }
}
