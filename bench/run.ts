/**
 * `npm run bench`: measures what design.md budgets, and prints one table. Ends with 1 when a budget does not hold.
 * `--json` prints JSON instead, `--only counted|timed|races|cost` one part, `--quick` measures little of each.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { type Line, type Section, unbudgeted } from './line.ts';
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

const USAGE = `usage: npm run bench -- [--json] [--quick] [--only ${NAMES.join('|')}]`;

function asked() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    const { only, help } = values;
    if (help) return stop(USAGE, 0);
    const names = NAMES.filter((name) => only === undefined || name === only);
    return names.length === 0 ? stop(`there is no part "${only}"\n${USAGE}`, 2) : { ...values, names };
  } catch (error) {
    return stop(`${(error as Error).message}\n${USAGE}`, 2);
  }
}

function stop(text: string, code: number): never {
  console.error(text);
  process.exit(code);
}

const { json, quick, names } = asked();
const startMs = performance.now();
const notes: string[] = [];
const lines: Line[] = [];
for (const name of names) {
  console.error(`${name} ...`);
  lines.push(...(await PARTS[name](quick, (text) => notes.push(text))));
}
// What little was timed says nothing of a budget.
const judged = lines.map((line) => judge(quick && line.section === 'timed' ? unbudgeted(line) : line));
const failed = judged.filter(({ verdict }) => verdict === 'FAIL');
console.log(json ? asJson(judged) : table(judged));
for (const note of notes) console.error(note);
const seconds = Math.round((performance.now() - startMs) / 1_000);
console.error(`${judged.length} lines in ${seconds} s; ${failed.length} beyond their budget (method: bench/README.md)`);
process.exitCode = failed.length > 0 ? 1 : 0;
