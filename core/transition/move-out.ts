/**
 * Keeps a head small: old log entries leave it in whole chunks, old calls as STEP items. Only what the head that was
 * read already held may leave: an entry of this very write could still lose, and a chunk written for it would then hold
 * what never happened.
 */
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { CallRecord, TaskHead } from '../task.ts';
import type { Transition } from './command.ts';
import { type Draft, set } from './draft.ts';
import { dueOf } from './due-of.ts';

/** Moves out what is over the head's share of log and calls. */
export function moveOut(draft: Draft): void {
  const { committed } = draft;
  let { log, status } = draft.head;
  const first = log[0]?.seq ?? 1;
  const chunkSize = limits.logChunkEntries;
  for (let chunk = Math.floor((first - 1) / chunkSize); ; chunk++) {
    const lastSeq = (chunk + 1) * chunkSize;
    if (lastSeq > committed.seq || jsonBytes(log) <= limits.headLogBytes) break;
    const entries = log.filter((entry) => entry.seq <= lastSeq);
    const current = entries.find((entry) => entry.seq === status.seq);
    if (current) {
      // The current status message must stay readable with one read; moving it saves nothing until it is the smaller part.
      if (jsonBytes(log) - jsonBytes(current) <= limits.headLogBytes) break;
      status = { ...status, ...(current.message ? { message: current.message } : {}) };
    }
    draft.children.push({ kind: 'log', chunk, entries });
    log = log.filter((entry) => entry.seq > lastSeq);
  }
  if (log !== draft.head.log) set(draft, { log, status });
  if (draft.head.calls.length > limits.headCalls) moveCallsOut(draft);
}

/** An ask that may still be refused and asked again stays: it is the newest ask, and no other question is open. */
function moveCallsOut(draft: Draft): void {
  const { calls, ask } = draft.head;
  // Holds beside it are recorded after it, and in no order.
  const judged = ask ? undefined : calls.findLast(({ kind }) => kind === 'ask');
  const mayLeave = calls.filter(
    (record) => record !== judged && holds(draft.committed.calls, record) && !waitsForUse(record),
  );
  if (!ask && mayLeave.length === calls.length) mayLeave.pop();
  let left = calls;
  for (const record of mayLeave) {
    if (left.length <= limits.headCalls) break;
    left = left.filter((other) => other !== record);
    draft.children.push({
      kind: 'step',
      record: { call: record.call, kind: record.kind, name: record.name, result: { record } },
    });
  }
  if (left !== calls) set(draft, { calls: left, steps: true });
}

/** The write that uses the credential changes such a record in the head. */
export function waitsForUse(record: CallRecord): boolean {
  return record.kind === 'auth' && record.outcome === 'granted' && record.result === undefined;
}

function holds(calls: readonly CallRecord[], record: CallRecord): boolean {
  return calls.some((other) => other.call === record.call && other.kind === record.kind);
}

/** So few parts, none over its own limit, cannot fill a head: most asks are not measured (head-limits.test.ts). */
export function isSurelySmall({ log, calls, holds, delegates }: TaskHead): boolean {
  return log.length < limits.headTrimEntries && calls.length === 0 && !holds && !delegates;
}

/**
 * The finished draft; `dueMs` always follows from the rest. It is the turn that keeps a head small, so that callers pay
 * for one write; but what many callers send between two turns must not fill it.
 */
export function done(draft: Draft): Transition {
  const { head: trimmed } = draft;
  if (trimmed.log.length >= limits.headTrimEntries && jsonBytes(trimmed) > limits.headTrimBytes) moveOut(draft);
  set(draft, { dueMs: dueOf(draft.head) });
  return { ok: true, head: draft.head, children: draft.children, effects: draft.effects };
}
