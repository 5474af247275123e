/** The log across its two homes: the newest entries in the head, older ones in LOG items. */
import { limits } from '../limits.ts';
import type { TaskStore } from '../ports.ts';
import type { Kept, LogEntry, TaskHead } from '../task.ts';
import type { Message } from '../message.ts';

/** The seq of the oldest entry that the head still holds; what lies below it is in LOG items. */
export function firstInHead(head: TaskHead): number {
  return head.log[0]?.seq ?? head.seq + 1;
}

/** One entry, wherever it is; at once where the head holds it. */
export function entryAt(
  store: TaskStore,
  head: TaskHead,
  seq: number,
): LogEntry | undefined | Promise<LogEntry | undefined> {
  const first = firstInHead(head);
  return seq >= first ? head.log[seq - first] : entryBefore(store, head, seq);
}

async function entryBefore(store: TaskStore, head: TaskHead, seq: number): Promise<LogEntry | undefined> {
  const entries = await store.logBefore(head, seq + 1, 1);
  return entries.find((entry) => entry.seq === seq);
}

/** Every entry from `fromSeq` on, oldest first. */
export async function entriesFrom(store: TaskStore, head: TaskHead, fromSeq: number): Promise<readonly LogEntry[]> {
  const first = firstInHead(head);
  const inHead = head.log.filter((entry) => entry.seq >= fromSeq);
  if (fromSeq >= first) return inHead;
  return [...(await store.logBefore(head, first, first - fromSeq)), ...inHead];
}

/** The same in pages of bounded size, for a reader that may lag far behind. */
export async function* pagesFrom(
  store: TaskStore,
  head: TaskHead,
  fromSeq: number,
): AsyncGenerator<readonly LogEntry[], void, undefined> {
  const first = firstInHead(head);
  for (let from = fromSeq; from < first; from += limits.logPageEntries) {
    const before = Math.min(first, from + limits.logPageEntries);
    const page = await store.logBefore(head, before, before - from);
    if (page.length < before - from) {
      throw new Error(`task ${head.taskId} has lost log entries between ${from} and ${before - 1}`);
    }
    yield page;
  }
  yield head.log.filter((entry) => entry.seq >= fromSeq);
}

/** The status message as it stands; undefined when the status has none. */
export function statusMessage(head: TaskHead): Kept<Message> | undefined {
  return head.status.message ?? head.log.find((entry) => entry.seq === head.status.seq)?.message;
}

/** What an entry adds to the history: everything said, progress left out. */
export function said(entry: LogEntry): Kept<Message> | undefined {
  return entry.transient ? undefined : (entry.received ?? entry.message);
}

/** The newest `count` entries that belong to the history, oldest first; reads LOG items only as far as needed. */
export async function newestHistory(store: TaskStore, head: TaskHead, count: number): Promise<readonly LogEntry[]> {
  if (count === 0) return [];
  let found = head.log.filter(said);
  let before = firstInHead(head);
  while (found.length < count && before > 1) {
    const older = await store.logBefore(head, before, Math.max(limits.logChunkEntries, 3 * (count - found.length)));
    if (older.length === 0) break;
    found = [...older.filter(said), ...found];
    before = older[0]?.seq ?? 1;
  }
  return found.slice(-count);
}
