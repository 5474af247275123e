/** The part that is timed: ratios of two contenders in one run, and a few times that have a budget of their own. */
import { bundled } from './bundle.ts';
import type { ContenderName } from './contenders.ts';
import { dynaliteProcess } from './dynalite-process.ts';
import type { Line } from './line.ts';
import { bundleLines } from './timed/bundles.ts';
import { type Running, startContender } from './timed/contender-client.ts';
import { MANY, match } from './timed/cycles.ts';
import { heapLines } from './timed/heap.ts';
import { reconnectLines } from './timed/reconnects.ts';
import { streamLines } from './timed/stream.ts';
import { validationLines } from './timed/validation.ts';

const CALLERS = [1, MANY] as const;

interface Sizes {
  readonly validationsAndLoads: number;
  readonly judgedRounds: number;
  readonly otherRounds: number;
  /** Rounds before those that count: in memory, on tables, and there where it is not judged. */
  readonly warm: { readonly memory: number; readonly tables: number; readonly others: number };
  /** Cycles of one round. */
  readonly inMemory: number;
  readonly onTables: number;
  readonly waiting: number;
  readonly stream: { readonly soon: number; readonly late: number };
  readonly reconnects: number;
}

const FULL: Sizes = {
  validationsAndLoads: 7,
  judgedRounds: 31,
  otherRounds: 15,
  warm: { memory: 8, tables: 62, others: 16 },
  inMemory: 1_500,
  onTables: 128,
  waiting: 5_000,
  stream: { soon: 40, late: 4 },
  reconnects: 100,
};
const QUICK: Sizes = {
  validationsAndLoads: 1,
  judgedRounds: 1,
  otherRounds: 1,
  warm: { memory: 1, tables: 1, others: 1 },
  inMemory: 50,
  onTables: 32,
  waiting: 50,
  stream: { soon: 4, late: 0 },
  reconnects: 10,
};

/** @param note told what could not be measured here, and why */
export async function timedLines(quick: boolean, note: (text: string) => void): Promise<readonly Line[]> {
  const sizes = quick ? QUICK : FULL;
  const bundles = await bundled('contender-process.ts', 'validation-process.ts');
  const place = await dynaliteProcess();
  try {
    const start = (name: ContenderName) => startContender(bundles.file('contender-process.ts'), name, place);
    return [
      ...(await inMemory(start, sizes)),
      ...(await onTables(start, sizes, note)),
      ...(await streamLines(place, sizes.stream)),
      ...(await reconnectLines(sizes.reconnects)),
      ...(await validationLines(bundles.file('validation-process.ts'), sizes.validationsAndLoads)),
      ...bundleLines(sizes.validationsAndLoads),
    ];
  } finally {
    await bundles.remove();
    await place.stop();
  }
}

type Start = (name: ContenderName) => Promise<Running>;

async function inMemory(start: Start, sizes: Sizes): Promise<readonly Line[]> {
  const { judgedRounds, otherRounds: rounds, inMemory: cycles } = sizes;
  const warm = sizes.warm.memory;
  const ours = await start('askback-memory');
  const theirs = await start('a2a-js-memory');
  const budgets = { wall: 'cycles.memory', cpu: 'cpu.memory' };
  const lines: Line[] = [];
  for (const callers of CALLERS) {
    const what = 'a2a-js in memory';
    lines.push(...(await match({ what, ours, theirs, cycles, callers, rounds: judgedRounds, warm, budgets })));
  }
  for (const [name, how] of [
    ['askback-memory-looking', 'looking'],
    ['askback-memory-cloning', 'cloning'],
  ] as const) {
    const other = await start(name);
    const what = `a2a-js in memory, ours ${how}`;
    lines.push(...(await match({ what, ours: other, theirs, cycles, callers: 1, rounds, warm })));
    await other.stop();
  }
  // Last, since both processes are slower for a while.
  const what = 'a2a-js in memory, both after a garbage collection';
  lines.push(...(await match({ what, ours, theirs, cycles, callers: 1, rounds, warm: 0, collect: true })));
  await Promise.all([ours.stop(), theirs.stop()]);
  return lines;
}

/** On the same dynalite; a2a-js also on SQLite, which has no network in between. */
async function onTables(start: Start, sizes: Sizes, note: (text: string) => void): Promise<readonly Line[]> {
  const { judgedRounds, otherRounds: rounds, onTables: cycles, waiting } = sizes;
  const warm = sizes.warm.others;
  const ours = await start('askback-dynamo');
  const theirs = await start('a2a-js-dynamo');
  const lines: Line[] = [];
  for (const callers of CALLERS) {
    const budgets = { wall: 'cycles.dynamo' };
    const what = 'a2a-js on the same DynamoDB';
    lines.push(
      ...(await match({ what, ours, theirs, cycles, callers, rounds: judgedRounds, warm: sizes.warm.tables, budgets })),
    );
  }
  const looking = await start('askback-dynamo-looking');
  const whenLooking = 'a2a-js on the same DynamoDB, ours looking';
  lines.push(...(await match({ what: whenLooking, ours: looking, theirs, cycles, callers: 1, rounds, warm })));
  await looking.stop();
  for (const [name, how] of [
    ['a2a-js-dynamo-unlisted', 'theirs without an index'],
    ['a2a-js-dynamo-our-client', 'theirs by our client'],
  ] as const) {
    const other = await start(name);
    const what = `a2a-js on the same DynamoDB, ${how}`;
    lines.push(...(await match({ what, ours, theirs: other, cycles, callers: 1, rounds, warm })));
    await other.stop();
  }
  try {
    const sqlite = await start('a2a-js-sqlite');
    for (const callers of CALLERS) {
      lines.push(...(await match({ what: 'a2a-js on SQLite', ours, theirs: sqlite, cycles, callers, rounds, warm })));
    }
    await sqlite.stop();
  } catch (error) {
    note(
      `not measured: a2a-js on SQLite (${(error as Error).message}); its driver is built by "npm rebuild better-sqlite3 --ignore-scripts=false"`,
    );
  }
  lines.push(...(await heapLines({ ours, theirs, waiting })));
  await Promise.all([ours.stop(), theirs.stop()]);
  return lines;
}
