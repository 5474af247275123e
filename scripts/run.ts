/** Runs a program of this project's development tools in the foreground; the scripts beside it share it. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs Node with the arguments, in the project's folder unless told otherwise.
 * @returns what it wrote to standard output
 * @throws Error when it ends with anything but 0
 */
export function runNode(args: readonly string[], options: { cwd?: string; quiet?: boolean } = {}): string {
  const result = spawnSync(process.execPath, args, {
    cwd: options.cwd ?? root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.error) throw result.error;
  const failed = result.status !== 0;
  if (failed || !options.quiet) process.stdout.write(result.stdout);
  if (failed) {
    process.stderr.write(result.stderr);
    throw new Error(`${args.join(' ')} ended with ${result.status ?? result.signal}`);
  }
  return result.stdout;
}

/** The entry script of a development tool, by its path under node_modules. */
export function tool(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}
