/** Size of each function's bundle, as `cdk synth` makes it, and what loading it takes beyond a Node that loads nothing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FUNCTION_SETTINGS } from '../../test/support/function-settings.ts';
import { type Line, number, spreadOf } from '../line.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const JOBS = ['api', 'run-turn', 'deadline', 'sweep', 'deliver-push'] as const;
const TEMPLATE = 'askback-expense-agent.template.json';

interface Resource {
  readonly Type: string;
  readonly Properties: { readonly Description: string; readonly Code: { readonly S3Key: string } };
}

export function bundleLines(rounds: number): readonly Line[] {
  const place = mkdtempSync(join(tmpdir(), 'askback-bench-'));
  try {
    const files = synthesised(place);
    const sizes = JOBS.map((job): Line => {
      const value = statSync(files[job] ?? '').size;
      const line = { section: 'timed', what: `${job}: bundle`, ours: `${number(value)} bytes`, value } as const;
      return job === 'api' ? { ...line, budget: 'api.bytes' } : line;
    });
    return [...sizes, ...loads(place, files, rounds)];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

type Files = Readonly<Record<string, string>>;

/** Runs the app of cdk.json as the CDK's command line does; the bundle of each function by its job. */
function synthesised(place: string): Files {
  const { app } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { app: string };
  const [, ...args] = app.split(' ');
  const out = join(place, 'out');
  const env = { ...process.env, CDK_OUTDIR: out, CDK_VALIDATION: 'false' };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  const { Resources } = JSON.parse(readFileSync(join(out, TEMPLATE), 'utf8')) as {
    Resources: Record<string, Resource>;
  };
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return Object.fromEntries(
    functions.map(({ Properties: { Description, Code } }) => [
      Description.replace('expense-agent: ', ''),
      join(out, `asset.${Code.S3Key.replace('.zip', '')}`, 'index.mjs'),
    ]),
  );
}

/**
 * The bare Node and every function once in each round, in turn about; the best of each, since what else the machine does
 * only makes a load slower.
 */
function loads(place: string, files: Files, rounds: number): readonly Line[] {
  const bare = join(place, 'bare.mjs');
  writeFileSync(bare, '');
  const programs = JOBS.map((job) => {
    const file = join(place, `${job}.mjs`);
    const program = `const { handler } = await import('${pathToFileURL(files[job] ?? '')}');`;
    writeFileSync(file, `${program}\nif (typeof handler !== 'function') process.exit(1);`);
    return { job, file, ms: [] as number[] };
  });
  const bareMs: number[] = [];
  for (const { file } of programs) timeOf(file);
  for (let round = 0; round < rounds; round++) {
    bareMs.push(timeOf(bare));
    for (const { file, ms } of round % 2 === 0 ? programs : programs.toReversed()) ms.push(timeOf(file));
  }
  return programs.map(({ job, ms }) => {
    const value = Math.min(...ms) - Math.min(...bareMs);
    const line = {
      section: 'timed',
      what: `${job}: load over bare Node`,
      ours: `${number(Math.round(value))} ms`,
      value,
      spread: spreadOf(ms.map((one, at) => Math.round(one - (bareMs[at] ?? 0)))),
    } as const;
    return job === 'api' ? { ...line, budget: 'api.load' } : line;
  });
}

function timeOf(file: string): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env: FUNCTION_SETTINGS });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - start;
}
