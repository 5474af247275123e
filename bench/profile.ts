/**
 * Where the processor time of a cycle goes: `node --conditions=askback-source --import tsx bench/profile.ts [contender]
 * [cycles]` runs cycles of one contender (contenders.ts; default askback-memory) under V8's profiler, and prints functions
 * by their own time and by the time of all that they call, in microseconds a cycle. Loading and compiling are in it: below
 * 10,000 cycles they are much of what is seen, and on DynamoDB, where 1,000 are the default, more than the rest of ours.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundle.ts';
import type { ContenderName } from './contenders.ts';
import { dynaliteProcess } from './dynalite-process.ts';
import { startContender } from './timed/contender-client.ts';

const ENTRY = 'contender-process.ts';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TOP = 40;

interface ProfileNode {
  readonly id: number;
  readonly children?: readonly number[];
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [name = 'askback-memory', many] = process.argv.slice(2);
const cycles = Number(many ?? (name.includes('-memory') ? 20_000 : 1_000));
if (!Number.isInteger(cycles) || cycles < 1) throw new Error(`${many} is no number of cycles`);
const folder = await mkdtemp(join(tmpdir(), 'askback-profile-'));
const bundles = await bundled(ENTRY);
const printed: string[] = [];
const place = name.includes('-dynamo') ? await dynaliteProcess() : undefined;
try {
  const file = bundles.file(ENTRY);
  const options = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=300'];
  const running = await startContender(file, name as ContenderName, place ?? { endpoint: '', tableName: '' }, options);
  const { cpuMs } = await running.run({ cycles, callers: 1 });
  await running.stop();
  const [written = ''] = await readdir(folder);
  const profile = JSON.parse(await readFile(join(folder, written), 'utf8')) as Profile;
  const source = new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')));
  printed.push(`${name}: ${((cpuMs * 1_000) / cycles).toFixed(0)} us of CPU a cycle, profiled`);
  print(profile, placeOf(source, file), cycles);
} finally {
  await bundles.remove();
  await place?.stop();
  await rm(folder, { recursive: true, force: true });
}
console.log(printed.join('\n'));

/** The function with its file, as it is in the source. */
function placeOf(source: SourceMap, file: string): (node: ProfileNode) => string {
  return ({ callFrame: { functionName, url, lineNumber, columnNumber } }) => {
    const named = functionName || '(anonymous)';
    if (!url.endsWith(file)) return `${named}  ${url.replace(/^.*node_modules\//, '')}`.trim();
    const entry = source.findEntry(lineNumber, columnNumber);
    if (!('originalSource' in entry)) return named;
    return `${named}  ${relative(ROOT, join(file, '..', entry.originalSource))}:${entry.originalLine + 1}`;
  };
}

function print({ nodes, samples, timeDeltas }: Profile, nameOf: (node: ProfileNode) => string, times: number): void {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  const own = new Map<string, number>();
  const all = new Map<string, number>();
  const add = (to: Map<string, number>, at: string, us: number) => to.set(at, (to.get(at) ?? 0) + us);
  for (const [at, id] of samples.entries()) {
    const us = timeDeltas[at] ?? 0;
    add(own, names.get(id) ?? '', us);
    const callers = new Set<string>();
    for (let up: number | undefined = id; up !== undefined; up = parents.get(up)) callers.add(names.get(up) ?? '');
    for (const caller of callers) add(all, caller, us);
  }
  for (const [heading, spent] of [
    ['own time', own],
    ['with what it calls', all],
  ] as const) {
    printed.push(`\n${heading}, us a cycle`);
    const dearest = [...spent].sort(([, one], [, other]) => other - one).slice(0, TOP);
    for (const [at, us] of dearest) printed.push(`${(us / times).toFixed(1).padStart(8)}  ${at}`);
  }
}
