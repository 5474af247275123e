/** The documents say what is so: code compiles, commands exist, links and file names lead somewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, blocks, documents, localLinks, namedFiles } from './markdown.ts';
import { root, text } from './tree.ts';

const LANGUAGES = ['ts', 'sh', 'json', 'text'];
const all = documents().flatMap((file) => blocks(file));
const scripts = (JSON.parse(text('package.json')) as { scripts: Record<string, string> }).scripts;

/** What the compiler says of the blocks, each a module of its own, with the project's options. */
function compile(contents: readonly string[]): string[] {
  mkdirSync(join(root, '.askback'), { recursive: true });
  const folder = mkdtempSync(join(root, '.askback', 'docs-'));
  try {
    const files = contents.map((content, index) => {
      writeFileSync(join(folder, `block-${index}.ts`), `${content}\nexport {};\n`);
      return `block-${index}.ts`;
    });
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: [], files }),
    );
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const result = spawnSync(process.execPath, [tsc, '-p', folder, '--noEmit', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return result.stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm commands that name no script of package.json. */
function unknownCommands(shell: string): string[] {
  const known = ['ci', 'install', 'start', 'test'];
  return [...shell.matchAll(/\bnpm (?:run (?:-s )?)?([\w-]+)/g)]
    .map((match) => match[1] as string)
    .filter((name) => !(name in scripts) && !known.includes(name));
}

/** The JSON bodies of curl commands that do not parse. */
function brokenBodies(shell: string): string[] {
  return [...shell.matchAll(/\s(?:-d|--data|--json) '([^']*)'/g)]
    .map((match) => match[1] as string)
    .filter((body) => {
      try {
        JSON.parse(body.replaceAll(/'"\$\w+"'/g, 'id'));
        return false;
      } catch {
        return true;
      }
    });
}

describe('the documents', () => {
  it('use the code languages that are checked here', () => {
    expect(all.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  });

  it('have TypeScript that compiles against the package as its users import it', () => {
    const typescript = all.filter(({ language }) => language === 'ts');
    expect(compile(typescript.map(({ content }) => content))).toEqual([]);
    expect(typescript.map(({ file }) => file)).toContain('README.md');
  });

  it('and a block that does not compile would be found', () => {
    const found = compile([`import { defineAgent } from 'askback/agent';\nconst wrong: number = defineAgent;`]);
    expect(found.join('\n')).toMatch(/block-0\.ts.*error TS2322/);
  });

  it('have JSON that parses', () => {
    for (const { content, language } of all) if (language === 'json') expect(() => JSON.parse(content)).not.toThrow();
  });

  it('name commands that package.json has, and send JSON', () => {
    const shell = all.filter(({ language }) => language === 'sh').map(({ content }) => content);
    expect(shell.flatMap(unknownCommands)).toEqual([]);
    expect(shell.flatMap(brokenBodies)).toEqual([]);
    expect(unknownCommands('npm run nonsense')).toEqual(['nonsense']);
    expect(brokenBodies(`curl x -d '{"a":'`)).toEqual([`{"a":`]);
  });

  it('link to files and headings that exist', () => {
    const broken = documents().flatMap((file) =>
      localLinks(text(file)).filter((target) => {
        const [path = '', anchor] = target.split('#');
        const linked = path === '' ? file : join(dirname(file), path);
        if (!existsSync(join(root, linked))) return true;
        return anchor !== undefined && !anchors(text(linked)).includes(anchor);
      }),
    );
    expect(broken).toEqual([]);
  });

  it('name files that exist', () => {
    const missing = documents().flatMap((file) =>
      namedFiles(text(file))
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
