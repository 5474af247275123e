/** Reading the log by generation: nothing missed, nothing doubled, wherever an entry lies. */
import { expect, it } from 'vitest';
import type { Child, LogEntry } from '../../../core/task.ts';
import { eventsAfter } from '../../../core/view/events-after.ts';
import { MemoryTaskStore } from '../../fakes/memory-store.ts';
import { submittedHead, T0 } from '../../support/heads.ts';

/** Entries 1 to 20; every third is a message and no event. The newest 4 are in the head, the others in chunks of 4. */
const entries: LogEntry[] = [];
for (let seq = 1, generation = 0; seq <= 20; seq += 1) {
  if (seq % 3 === 0) entries.push({ seq, atMs: T0 + seq, received: { blob: 'hash', bytes: 1 } });
  else entries.push({ seq, atMs: T0 + seq, generation: ++generation, state: 'TASK_STATE_WORKING' });
}
const head = submittedHead('t', { seq: 20, generation: 14, log: entries.slice(16) });
const chunks = [0, 1, 2, 3].map(
  (chunk): Child => ({ kind: 'log', chunk, entries: entries.slice(chunk * 4, chunk * 4 + 4) }),
);

it.each([0, 1, 2, 5, 9, 10, 11, 12, 13, 14])(
  'gives the events after generation %i, each once, in order',
  async (after) => {
    const store = new MemoryTaskStore();
    await store.create(head, chunks);
    const generations: number[] = [];
    for await (const { generation } of eventsAfter(store, head, after)) generations.push(generation);
    expect(generations).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].slice(after));
  },
);

it('reads no older entries when the head has them all', async () => {
  const store = new MemoryTaskStore();
  await store.create(head, chunks);
  store.calls.length = 0;
  for await (const _ of eventsAfter(store, head, 11));
  expect(store.calls).toEqual([]);
});
