/**
 * What the tests of this folder know about the repository: its files, their text without comments, and what they
 * import. Plain text matching, no compiler: `tree.test.ts` holds it to samples of what it must and must not see.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Made by tools or by running things; never committed (.gitignore). */
const IGNORED = new Set(['node_modules', '.git', 'dist', 'cdk.out', 'coverage', '.askback']);

/** Every file of the repository, as a path with forward slashes from its root, sorted. */
export function repositoryFiles(folder = root): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (IGNORED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...repositoryFiles(path));
    else if (!entry.name.endsWith('.tgz')) files.push(relative(root, path).split(sep).join('/'));
  }
  return files.sort();
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
