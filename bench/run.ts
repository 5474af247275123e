/**
 * `npm run bench`: measures what design.md budgets, and prints one table. Ends with 1 when a budget does not hold.
 * `--json` prints JSON instead, `--only counted|timed|races|cost` one part, `--quick` measures little of each.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { Line, Section } from './line.ts';
import { asJson, judge, table } from './table.ts';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** Loaded when they run: what one needs does not keep the others from running. */
const PARTS: Readonly<Record<Section, (quick: boolean, note: (text: string) => void) => Promise<readonly Line[]>>> = {
  counted: async (quick) => (await import('./counted.ts')).countedLines(quick),
  timed: async (quick, note) => (await import('./timed.ts')).timedLines(quick, note),
  races: async (quick) => (await import('./races.ts')).raceLines(quick ? 20 : 1_000),
  cost: async () => (await import('./cost-lines.ts')).costLines(),
};
const NAMES = Object.keys(PARTS) as Section[];

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, only: { type: 'string' } },
});
const { json = false, quick = false, only } = values;
const names = NAMES.filter((name) => only === undefined || name === only);
if (names.length === 0) {
  console.error(`--only takes one of ${NAMES.join(', ')}`);
  process.exit(2);
}

const startMs = performance.now();
const notes: string[] = [];
const lines: Line[] = [];
for (const name of names) {
  console.error(`${name} ...`);
  lines.push(...(await PARTS[name](quick, (text) => notes.push(text))));
}
const judged = lines.map(judge);
const failed = judged.filter(({ verdict }) => verdict === 'FAIL');
console.log(json ? asJson(judged) : table(judged));
for (const note of notes) console.error(note);
const seconds = Math.round((performance.now() - startMs) / 1_000);
console.error(`${judged.length} lines in ${seconds} s; ${failed.length} beyond their budget (method: bench/README.md)`);
process.exitCode = failed.length > 0 ? 1 : 0;
