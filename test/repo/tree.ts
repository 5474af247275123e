/**
 * What the tests of this folder know about the repository: its files, their text without comments, and what they
 * import. Plain text matching, no compiler: `tree.test.ts` holds it to samples of what it must and must not see.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Made by tools or by running things; never committed (.gitignore). */
const IGNORED = new Set(['node_modules', '.git', 'dist', 'cdk.out', 'coverage', '.askback']);

/**
 * Every file of the repository, as a path with forward slashes from its root, sorted: what git knows of, so that an
 * agent that somebody tries out in the checkout is not held to the project's rules. Where there is no git, all files.
 */
export function repositoryFiles(): string[] {
  return (trackedFiles(root) ?? filesBelow(root)).sort();
}

/** Undefined where `folder` is not the root of a git checkout. */
export function trackedFiles(folder: string): string[] | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined;
  const listed = spawnSync('git', ['ls-files', '-z', '--cached'], { cwd: folder, encoding: 'utf8' });
  if (listed.status !== 0) return undefined;
  // What was deleted and not committed yet is still listed.
  return listed.stdout.split('\0').filter((path) => path !== '' && existsSync(join(folder, path)));
}

export function filesBelow(folder: string, path = ''): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = path === '' ? entry.name : `${path}/${entry.name}`;
    if (IGNORED.has(entry.name) || entry.name.endsWith('.tgz')) return [];
    return entry.isDirectory() ? filesBelow(folder, below) : [below];
  });
}

export function sourceFiles(): string[] {
  return repositoryFiles().filter((path) => path.endsWith('.ts'));
}

export function text(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The text without comments, with as many line breaks as before. */
export function code(source: string): string {
  return source
    .replace(/(?<=^|[\s({[,;=>])\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** The specifiers of all static, dynamic and type-only imports and re-exports. */
export function imports(source: string): string[] {
  const plain = code(source);
  const patterns = [
    /(?:^|[;}\s])(?:import|export)\s[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /(?:^|[;}\s])import\s*['"]([^'"]+)['"]/g,
    /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g,
  ];
  return patterns.flatMap((pattern) => [...plain.matchAll(pattern)].map((match) => match[1] as string));
}

/** Path from the repository's root of a relative import. */
export function importedPath(importer: string, specifier: string): string {
  return relative(root, join(root, importer, '..', specifier))
    .split(sep)
    .join('/');
}

/** The name of an imported package: `@scope/name` or `name`, without what follows. */
export function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export function topFolder(path: string): string {
  return path.includes('/') ? (path.split('/')[0] as string) : '';
}
