/**
 * What is timed runs as it is deployed: bundled by esbuild, without the transforms of `tsx`. Packages stay outside, and
 * are found because the bundle lies below the project.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
const BANNER = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

export interface Bundled {
  /** Path of the bundle of one of the entries. */
  file(entry: string): string;
  remove(): Promise<void>;
}

/** @param entries names of files in bench/ */
export async function bundled(...entries: readonly string[]): Promise<Bundled> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'askback-bench-'));
  await build({
    entryPoints: entries.map((entry) => fileURLToPath(new URL(entry, import.meta.url))),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    outbase: fileURLToPath(new URL('.', import.meta.url)),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    conditions: ['askback-source'],
    banner: { js: BANNER },
    sourcemap: true,
    logLevel: 'warning',
  });
  return {
    file: (entry) => join(folder, entry.replace(/\.ts$/, '.mjs')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
