/** `npm run bench` as a program: its options, and how it ends. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function bench(...options: readonly string[]) {
  const args = ['--import', 'tsx', 'bench/run.ts', ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run bench', () => {
  it('prints one part as JSON, and ends well when every budget holds', () => {
    const { status, stdout, stderr } = bench('--only', 'cost', '--json');
    const lines = JSON.parse(stdout) as { section: string; what: string; ours: string }[];
    expect(new Set(lines.map(({ section }) => section))).toEqual(new Set(['cost']));
    expect(lines[0]?.what).toMatch(/^one million questions, us-east-1, \d{4}-\d{2}-\d{2}: writeUnits$/);
    expect(lines[3]?.ours).toMatch(/^\d+\.\d{2} USD$/);
    expect(stderr).toContain('8 lines in');
    expect(status).toBe(0);
  });

  it.each([
    [['--only', 'everything'], 'there is no part "everything"'],
    [['--only', ''], 'there is no part ""'],
    [['counted'], "Unexpected argument 'counted'. This command does not take positional arguments"],
    [['--fast'], "Unknown option '--fast'"],
  ])('ends with 2 and says how it is called, for %j', (args, why) => {
    const { status, stdout, stderr } = bench(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(`${why}\nusage: npm run bench -- [--json] [--quick] [--only counted|timed|races|cost]\n`);
  });
});
