/** The lint rules that this code cannot do without really find what they are for. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { code, imports, root, sourceFiles, text } from './tree.ts';

const PLANTED = `
interface Queue {
  send(task: string): Promise<void>;
}
class Client {
  readonly queue: Queue = { async send() {} };
}
async function save(): Promise<void> {}
export function plant(queue: Queue, client: Client): void {
  save();
  queue.send('t');
  client.queue.send('t');
  Promise.all([save()]);
  if (save()) queue.send('t').catch(() => undefined);
  ['t'].forEach(async () => {
    await save();
  });
  void save();
}
`;

describe('unawaited promises (the lint part of npm run verify)', () => {
  let folder: string;
  let found: { rule: string; line: number }[];

  beforeAll(() => {
    // A folder that neither the repository's own lint nor the other tests of this folder look into, under the same rules.
    mkdirSync(join(root, '.askback'), { recursive: true });
    folder = mkdtempSync(join(root, '.askback', 'planted-'));
    const { files: _files, ...rules } = JSON.parse(text('biome.json')) as Record<string, unknown>;
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules));
    writeFileSync(join(folder, 'planted.ts'), PLANTED);
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const result = spawnSync(process.execPath, [biome, 'lint', '--reporter=github', 'planted.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    found = [...result.stdout.matchAll(/title=lint\/nursery\/(\w+),.*?line=(\d+)/g)].map((match) => ({
      rule: match[1] as string,
      line: Number(match[2]),
    }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are found in calls of functions, of ports and through objects, and in conditions and callbacks', () => {
    expect(found).toEqual([
      { rule: 'noFloatingPromises', line: 10 },
      { rule: 'noFloatingPromises', line: 11 },
      { rule: 'noFloatingPromises', line: 12 },
      { rule: 'noFloatingPromises', line: 13 },
      { rule: 'noMisusedPromises', line: 14 },
      { rule: 'noMisusedPromises', line: 15 },
    ]);
  });

  it("of Node's own promise modules, which the linter does not see, start no statement", () => {
    expect(sourceFiles().flatMap((path) => floatingNodeCalls(path, text(path)))).toEqual([]);
    const sample = `import { rm, readFile } from 'node:fs/promises';\n  rm(path);\n  await rm(path);\n`;
    expect(floatingNodeCalls('x.ts', sample)).toEqual(['x.ts:2 rm']);
  });
});

function floatingNodeCalls(path: string, source: string): string[] {
  const plain = code(source);
  if (!imports(source).some((specifier) => /^node:.*promises$/.test(specifier))) return [];
  const names = [...plain.matchAll(/import\s*\{([^}]*)\}\s*from\s*['"]node:[\w/]*promises['"]/g)].flatMap((match) =>
    (match[1] as string).split(',').map(
      (name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1) as string,
    ),
  );
  return plain.split('\n').flatMap((line, index) => {
    const start = line.match(/^\s*(\w+)\(.*;\s*$/)?.[1];
    return start && names.includes(start) ? [`${path}:${index + 1} ${start}`] : [];
  });
}
