/** The part that counts: the same numbers on every machine, but for the time of a sweep. */
import { operationLines } from './counted/operations.ts';
import { roundLines } from './counted/rounds.ts';
import { streamLines } from './counted/stream.ts';
import { sweepLines } from './counted/sweep.ts';
import type { Line } from './line.ts';

export async function countedLines(quick: boolean): Promise<readonly Line[]> {
  const sweeps = quick ? { waiting: [1_000], repeats: 1 } : { waiting: [1_000, 10_000, 100_000], repeats: 9 };
  return [
    ...(await operationLines()),
    ...(await roundLines()),
    ...(await streamLines()),
    ...(await sweepLines(sweeps)),
  ];
}
