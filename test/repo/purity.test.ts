/** What the pure layers may not touch, and the one reader of the environment (design 2). */
import { describe, expect, it } from 'vitest';
import { code, sourceFiles, text, topFolder } from './tree.ts';

/** Time, chance, timers and the world come through ports only. */
const IMPURE: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['the clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bprocess\.(hrtime|uptime)\b/],
  ['chance', /\bMath\.random\b|\brandom(UUID|Bytes|Int|FillSync|Fill)\b|\bgetRandomValues\b/],
  ['timers', /\b(set|clear)(Timeout|Interval|Immediate)\b|\bAbortSignal\.timeout\b/],
  ['the process', /\bprocess\s*[.[]/],
  ['the network', /\bfetch\s*\(/],
  ['the console', /\bconsole\s*\./],
];

const EXCEPTIONS = [
  // The limit on a validation is in processor time, which nothing but the process can tell; it decides nothing else.
  /^core\/question\/time-limit\.ts:\d+ uses the process$/,
  // The one file of agent/ that calls others over the network: a call that hangs must end.
  /^agent\/remote-agent\.ts:\d+ uses timers$/,
];

const ENVIRONMENT =
  /\bprocess\s*(\.\s*env\b|\[\s*['"`]env)|\benv\b[^;\n]*\bfrom\s*['"]node:process['"]|\bloadEnvFile\b/;

/** functions/wiring.ts for what is deployed; the programs people start; and what is never deployed. */
function mayReadEnvironment(path: string): boolean {
  return (
    path === 'functions/wiring.ts' ||
    path === 'vitest.config.ts' ||
    ['client/askback.ts', 'client/redrive.ts'].includes(path) ||
    ['local', 'bin', 'scripts', 'test', 'bench'].includes(topFolder(path))
  );
}

function impurities(path: string, source: string): string[] {
  return code(source)
    .split('\n')
    .flatMap((line, index) =>
      IMPURE.filter(([, pattern]) => pattern.test(line)).map(([what]) => `${path}:${index + 1} uses ${what}`),
    );
}

describe('pure layers (design 2)', () => {
  it.each(['core', 'agent'])('%s/ has no clock, chance, timers, process, network or console', (layer) => {
    const files = sourceFiles().filter((path) => topFolder(path) === layer);
    const found = files.flatMap((path) => impurities(path, text(path)));
    expect(found.filter((impurity) => !EXCEPTIONS.some((exception) => exception.test(impurity)))).toEqual([]);
  });

  it.each([
    ['const now = Date.now();', 'the clock'],
    ['const now = new Date();', 'the clock'],
    ['const id = randomUUID();', 'chance'],
    ['setTimeout(go, 5);', 'timers'],
    ['const t = process.env.TABLE;', 'the process'],
    ["await fetch('http://x');", 'the network'],
  ])('sees through %j', (source, what) => {
    expect(impurities('core/x.ts', source)).toEqual([`core/x.ts:1 uses ${what}`]);
  });

  it.each(['const at = new Date(ms).toISOString();', '// Date.now is forbidden here', 'clock.now();'])(
    'has nothing against %j',
    (source) => {
      expect(impurities('core/x.ts', source)).toEqual([]);
    },
  );
});

describe('the environment (design 2)', () => {
  it('is read by functions/wiring.ts and, outside what is deployed, by programs and tests', () => {
    const readers = sourceFiles().filter((path) => !mayReadEnvironment(path) && ENVIRONMENT.test(code(text(path))));
    expect(readers).toEqual([]);
  });

  it.each([`process.env.A`, `process['env'].A`, `import { env } from 'node:process';`])('sees %j', (source) => {
    expect(ENVIRONMENT.test(source)).toBe(true);
  });
});
