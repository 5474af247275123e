import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

/** Says whether Ajv is loaded before and after its first use, and what it found. */
const program = `
  import { validateValue } from ${JSON.stringify(join(root, 'core/question/validate.ts'))};
  import { patternProblem } from ${JSON.stringify(join(root, 'core/question/check-pattern.ts'))};
  const value = { schema: { type: 'string', format: 'date' }, value: '2026-02-30' };
  console.log(JSON.stringify([validateValue(value.schema, value.value), patternProblem('(a+)*\\\\1') !== undefined]));
`;
const found = [[{ pointer: '', message: 'expected a date such as 2026-01-31' }], true];

describe('the validator loads', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'askback-load-'));
    await writeFile(join(folder, 'program.ts'), program);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    [
      'with the banner that deployment uses',
      `import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);`,
    ],
    ['without a banner', ''],
  ])('in an ES module bundle on its own, %s', async (_name, banner) => {
    const outfile = join(folder, `bundle${banner.length}.mjs`);
    await build({
      entryPoints: [join(folder, 'program.ts')],
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      banner: { js: banner },
      logLevel: 'silent',
    });
    // The folder has no node_modules: what is not in the bundle is not found.
    const { stdout } = await run(process.execPath, [outfile], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(found);
  });

  it('in plain ES modules', async () => {
    await writeFile(join(folder, 'program.mts'), program);
    const loader = import.meta.resolve('tsx');
    const { stdout } = await run(process.execPath, ['--import', loader, join(folder, 'program.mts')], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(found);
  });
});
