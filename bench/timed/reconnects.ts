/** No gap and no repeat over 100 forced reconnects (design, section 13), in real time, on the stream of another instance. */
import { setTimeout as sleep } from 'node:timers/promises';
import { subscribeToTask } from '../../core/operations/stream-task.ts';
import { MemoryTaskStore } from '../../test/fakes/memory-store.ts';
import { askbackOn, benchDeps, OWNER } from '../askback.ts';
import { type Line, number } from '../line.ts';
import { askingAgent } from '../question.ts';

/** Each round has two events. */
const ROUNDS = 55;
const PAUSE_MS = 30;

export async function reconnectLines(reconnects: number): Promise<readonly Line[]> {
  const store = new MemoryTaskStore();
  const agent = askingAgent(ROUNDS);
  const writer = askbackOn({ deps: benchDeps(agent, store), rounds: ROUNDS, looks: false });
  const reader = benchDeps(agent, store);
  // Every write of a head is followed by a pause, in which the reader may come again.
  store.after = (op) => (op === 'save' ? sleep(Math.random() * PAUSE_MS) : undefined);
  const written = writer.cycle('m-1');
  while (store.heads().length === 0) await sleep(1);
  const id = store.heads()[0]?.taskId ?? '';
  const seen: number[] = [];
  let connections = 0;
  for (let ended = false; !ended; ) {
    connections += 1;
    const lastEventId = String(seen.at(-1) ?? 1);
    for await (const item of await subscribeToTask(reader, OWNER, { id }, { lastEventId })) {
      if (!('event' in item) || item.id === undefined || 'task' in item.event) continue;
      seen.push(Number(item.id));
      ended = 'statusUpdate' in item.event && item.event.statusUpdate.status.state === 'TASK_STATE_COMPLETED';
      if (!ended && connections <= reconnects) break;
    }
  }
  await written;
  const last = store.peek(id)?.generation ?? Number.NaN;
  // The first generation is the task itself.
  const expected = Array.from({ length: last - 1 }, (_, at) => at + 2);
  const wrong =
    expected.filter((generation, at) => seen[at] !== generation).length + Math.abs(seen.length - expected.length);
  const what = `${number(connections - 1)} reconnects, ${number(expected.length)} events: gaps and repeats`;
  return [{ section: 'timed', what, ours: number(wrong), value: wrong, budget: 'stream.gaps' }];
}
