/**
 * Messages that came while the task was not asking. A read that finds nothing at the end of the record is left
 * unrecorded: when the turn is run again because a message has come since, this very read finds it. Before any later call
 * begins, the empty read is recorded (empty-reads.ts), for that call, and what it does outside, may rest on it.
 */
import type { Message } from '../core/message.ts';
import { toJson } from './json-value.ts';
import type { Replay } from './replay.ts';
import { resultOf } from './step.ts';

export function inbox(replay: Replay): Promise<readonly Message[]> {
  let empty: number | undefined;
  const read = replay.call<readonly Message[]>('inbox', 'inbox', 'in order', async (call) => {
    if (call.recorded) return { value: resultOf(call, call.recorded) };
    const messages = await replay.host.inbox(call.n);
    const stands = replay.host.recorded(call.n);
    if (!stands && messages.length === 0) {
      empty = call.n;
      return { value: [] };
    }
    // The host may have recorded what it gave when it marked the messages as read.
    const recorded = stands ?? (await replay.record(call, { ok: toJson(messages, 'the inbox') }));
    return { value: resultOf(call, recorded) };
  });
  return read.then((messages) => {
    // Only now: what was called before the author knew rests on nothing of it.
    if (empty !== undefined) replay.emptyReads.add(empty);
    return messages;
  });
}
