/**
 * `npm run package-check`: packs what would be published and looks at the package as its users get it: publint, attw,
 * no trace of what only this repository has, an agent and a CDK app that import it in plain Node, and its program.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { synthesizePackedApp } from './packed-cdk-app.ts';
import { root, runNode, tool } from './run.ts';

runNode(['--import', 'tsx', 'scripts/build.ts']);

// Inside the project, so that the package's dependencies are found upwards; ignored by Git, removed below.
mkdirSync(join(root, '.askback'), { recursive: true });
const place = mkdtempSync(join(root, '.askback', 'package-check-'));
try {
  const tarball = join(place, pack(place));
  const unpacked = join(place, 'node_modules', 'askback');
  mkdirSync(unpacked, { recursive: true });
  // Without a package of its own, what runs here would be part of this project and get its dist/ for `askback`.
  writeFileSync(join(place, 'package.json'), '{"name":"user-of-askback","private":true,"type":"module"}');
  run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);

  runNode([tool('publint/src/cli.js'), 'run', unpacked, '--strict', '--pack', 'false']);
  const attw = ['--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--format', 'table-flipped'];
  runNode([tool('@arethetypeswrong/cli/dist/index.js'), tarball, ...attw, '--exclude-entrypoints', './package.json']);
  refuseInternalImports(join(unpacked, 'dist'));
  importAgent(place);
  runNode([join(unpacked, 'dist', 'client', 'askback.js'), '--help'], { cwd: place, quiet: true });
  synthesizePackedApp(place);
  console.log('package-check: publint, attw, internal imports, a plain import, a CDK app and the program are fine');
} finally {
  rmSync(place, { recursive: true, force: true });
}

function run(command: string, args: readonly string[]): string {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ended with ${result.status}: ${result.stderr}`);
  return result.stdout;
}

/** @returns the name of the tarball */
function pack(destination: string): string {
  const args = ['pack', '--json', '--pack-destination', destination];
  const npm = process.env.npm_execpath;
  const listed = npm ? runNode([npm, ...args], { quiet: true }) : run('npm', args);
  const tarball = readdirSync(destination).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error(`npm pack made no tarball: ${listed}`);
  return tarball;
}

/** `#agent` names a file of this repository: what others install has it only where the CDK puts theirs in its place. */
function refuseInternalImports(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const internal = readFileSync(join(folder, name), 'utf8').match(/\b(?:from|import)\b\s*\(?\s*['"]#[^'"]*/g) ?? [];
    const bundled = dirname(name) === join('functions', 'lambda');
    const wrong = internal.filter((specifier) => !(bundled && specifier.endsWith("'#agent")));
    if (wrong.length > 0) throw new Error(`dist/${name} imports a "#" name: ${wrong.join(' ')}`);
  }
}

function importAgent(folder: string): void {
  const program = `
    import { defineAgent } from 'askback/agent';
    import { awsSignedFetch } from 'askback/aws';
    const skill = { id: 'check', name: 'Check', description: 'Checks', tags: ['check'] };
    const card = { name: 'Packed', description: 'A check', version: '1.0.0', skills: [skill] };
    const agent = defineAgent({ card, async run() {} });
    if (agent.name !== 'Packed') throw new Error('defineAgent gave no agent');
    if (typeof awsSignedFetch({ region: 'eu-west-1' }) !== 'function') throw new Error('awsSignedFetch gave no fetch');
  `;
  writeFileSync(join(folder, 'import.mjs'), program);
  runNode([join(folder, 'import.mjs')], { cwd: folder });
}
