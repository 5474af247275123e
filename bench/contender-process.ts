/**
 * The process of one contender: bundled as a function is, with nobody else in it, so that neither the hooks nor the heap
 * nor the warm code of another weigh on it. Runs what it is asked to and tells what that took.
 */
import { performance } from 'node:perf_hooks';
import { type ContenderName, contender } from './contenders.ts';
import type { Place } from './dynalite-process.ts';

export type Asked =
  /** `collect`: garbage is collected first, which is not timed; what follows is. */
  | { readonly cycles: number; readonly callers: number; readonly collect?: true }
  /** So many tasks are left waiting for their answers. */
  | { readonly waiting: number; readonly callers: number }
  | { readonly stop: true };

export interface Told {
  readonly wallMs: number;
  /** User and system time of this process alone. */
  readonly cpuMs: number;
  /** Of the heap, after collecting garbage; 0 where no task was left waiting. */
  readonly heapBytes: number;
}

const { name, place } = JSON.parse(process.argv[2] ?? '{}') as { name: ContenderName; place: Place };
const one = await contender(name, place);
let ids = 0;

process.on('message', (asked: Asked) => void answer(asked));
process.send?.('ready');

async function answer(asked: Asked): Promise<void> {
  if ('stop' in asked) {
    await one.stop?.();
    process.disconnect();
    return;
  }
  const work = 'cycles' in asked ? one.cycle : one.ask;
  const times = 'cycles' in asked ? asked.cycles : asked.waiting;
  if ('collect' in asked) globalThis.gc?.();
  const startMs = performance.now();
  const before = process.cpuUsage();
  await inTurn(work, times, asked.callers);
  const { user, system } = process.cpuUsage(before);
  const wallMs = performance.now() - startMs;
  const told: Told = { wallMs, cpuMs: (user + system) / 1_000, heapBytes: 'waiting' in asked ? heapBytes() : 0 };
  process.send?.(told);
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** `callers` at once, each with one after the other. */
async function inTurn(work: (id: string) => Promise<void>, times: number, callers: number): Promise<void> {
  let left = times;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      ids += 1;
      await work(`${name}-${process.pid}-${ids}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
