/**
 * Design 13: no gap and no repeat over 100 forced reconnects at random points, while another instance writes events at
 * random times. The reader keeps nothing but the id of its last event.
 */
import { describe, expect, it } from 'vitest';
import { type StreamItem, subscribeToTask } from '../../../core/operations/stream-task.ts';
import { MemoryWake } from '../../fakes/memory-wake.ts';
import { artifact, inTime, status } from './streaming.ts';
import { alice, request, world } from './world.ts';

const RECONNECTS = 100;
const EVENTS = 800;

/** A small linear congruential generator: the same run for the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface Seen {
  readonly generation: number;
  readonly what: string;
}

function seen(item: StreamItem): Seen | undefined {
  if ('comment' in item || 'task' in item.event || item.id === undefined) return undefined;
  return { generation: Number(item.id), what: JSON.stringify(item.event) };
}

describe.each([1, 2, 3])('seed %i', (seed) => {
  it('every event once, in order of generation', async () => {
    const { deps, send, deliver } = world();
    const { store, clock } = deps;
    const random = chance(seed);
    await send(request);
    await deliver();
    const { id } = await send(request);
    const reader = { ...deps, wake: new MemoryWake(clock) };

    const write = async () => {
      // Mostly close together, so that one look finds several; now and then with a pause in which readers slow down.
      for (let n = 0; n < EVENTS; n += 1) {
        if (random(20) === 0) await status(store, id, 'TASK_STATE_INPUT_REQUIRED', clock.now());
        else if (random(3) === 0) await status(store, id, 'TASK_STATE_WORKING', clock.now());
        else await artifact(store, id, `a${n}`, clock.now());
        const pause = random(10);
        if (pause < 7) await clock.sleep(random(200));
        else if (pause === 8) await clock.sleep(1_000);
        else if (pause === 9) await clock.sleep(random(5_000));
      }
      await status(store, id, 'TASK_STATE_COMPLETED', clock.now());
    };

    const events: Seen[] = [];
    let connections = 0;
    let cuts = 0;
    const readAll = async () => {
      let last = '3';
      for (;;) {
        connections += 1;
        const cutting = cuts < RECONNECTS;
        const gone = new AbortController();
        const patience = random(2_500);
        const most = random(15);
        // Half of the cuts come while the reader waits, half between two events.
        const byTime = cutting && random(2) === 0;
        if (byTime) void clock.sleep(patience).then(() => gone.abort());
        const stream = await subscribeToTask(reader, alice, { id }, { lastEventId: last, signal: gone.signal });
        let had = 0;
        let state = '';
        for await (const item of stream) {
          const event = seen(item);
          if (!event) continue;
          if (gone.signal.aborted) break;
          events.push(event);
          last = String(event.generation);
          state = /"state":"TASK_STATE_(\w+)"/.exec(event.what)?.[1] ?? state;
          had += 1;
          if (cutting && !byTime && had > most) break;
        }
        if (state === 'COMPLETED') return;
        if (cutting) cuts += 1;
      }
    };

    await inTime(clock, Promise.all([write(), readAll()]));
    expect(connections).toBeGreaterThan(RECONNECTS);
    expect(events.map(({ generation }) => generation)).toEqual(Array.from({ length: EVENTS + 1 }, (_, n) => n + 4));
    expect(new Set(events.map(({ what }) => what)).size).toBe(EVENTS + 1);
    expect(store.childKeys(id).some((key) => key.startsWith('LOG '))).toBe(true);
  });
});
