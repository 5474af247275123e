/** Design, section 13: what the bench counts, pinned; `npm run bench` times what is timed. */
import { describe, expect, it } from 'vitest';
import { operationLines } from '../../bench/counted/operations.ts';
import { roundLines } from '../../bench/counted/rounds.ts';
import { streamLines } from '../../bench/counted/stream.ts';
import { sweepLines } from '../../bench/counted/sweep.ts';
import type { Line } from '../../bench/line.ts';

const short = (lines: readonly Line[]) => lines.map(({ what, ours }) => `${what} = ${ours}`);

describe('what each operation asks of AWS (design 13)', () => {
  it('calls, units, messages and timers', async () => {
    const lines = await operationLines();
    expect(short(lines.filter(({ what }) => !what.startsWith('paused task')))).toEqual([
      'create: writes = 1',
      'create: reads = 0',
      'create: sends = 1',
      'create: all = 1 writes (1 units, 2 of indexes), 1 sent',
      'first turn, to its question: all = 2 writes (3 units, 6 of indexes), 1 timers made',
      'get: reads = 1',
      'get: writes = 0',
      'get: all = 1 reads (1 units)',
      'answer: reads = 1',
      'answer: writes = 1',
      'answer: sends = 1',
      'answer: all = 1 reads (1 units), 1 writes (2 units, 4 of indexes), 1 sent',
      'second turn, to the end: all = 2 writes (4 units, 4 of indexes), 1 timers deleted',
      'duplicate: reads = 1',
      'duplicate: writes = 0',
      'duplicate: all = 1 reads (1 units)',
      'cycle without steps: calls = 7',
      'cycle without steps: all = 1 reads (1 units), 6 writes (10 units, 16 of indexes), 2 sent, 1 timers made, 1 timers deleted',
      'dearest write of a head of these = 2 units',
      'refused: writes = 1',
      'refused: all = 1 reads (1 units), 1 writes (3 units, 2 of indexes)',
      'cancel: all = 1 reads (1 units), 1 writes (2 units, 4 of indexes), 1 timers deleted',
      'expiry: all = 1 reads (1 units), 1 writes (2 units, 4 of indexes), 1 timers deleted',
      'list, a page of 20: all = 9 reads (24 units)',
      'cycle of the worked example: calls less 4 steps = 8',
      'cycle of the worked example: all = 2 reads (2 units), 10 writes (14 units, 16 of indexes), 2 sent, 1 timers made, 1 timers deleted',
    ]);
    const bytes = lines.filter(({ what }) => what.startsWith('paused task')).map(({ value }) => value);
    for (const value of bytes) expect(value).toBeGreaterThan(1_000);
    for (const value of bytes) expect(value).toBeLessThanOrEqual(2_048);
    expect(bytes).toHaveLength(2);
  });

  it('cycles by their rounds', async () => {
    expect(short(await roundLines())).toEqual([
      'cycle of 1 rounds = 7 calls, 1 read units, 10 write units, 16 of indexes',
      'cycle of 5 rounds = 36 calls, 12 read units, 48 write units, 48 of indexes',
      'cycle of 10 rounds = 73 calls, 27 read units, 95 write units, 88 of indexes',
      'cycle of 20 rounds = 148 calls, 66 read units, 199 write units, 168 of indexes',
      'write units, 20 rounds over 10 = 2.09 x',
    ]);
  });

  it('30 reads a minute on a stream that is idle', async () => {
    expect(short(await streamLines())).toEqual(['idle stream: reads a minute = 30']);
  });

  it('a sweep reads what is due, and one page of each shard', async () => {
    expect(short(await sweepLines({ waiting: [1_000], repeats: 1 }))).toEqual([
      'sweep, 10 due among 1,000: entries of the index = 10',
      'sweep, 10 due among 1,000: pages of the index = 8',
      'sweep, 10 due among 1,000: heads read = 10',
    ]);
  });
});
