import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { code, filesBelow, importedPath, imports, packageName, sourceFiles, trackedFiles } from './tree.ts';

describe('the reader of the tree', () => {
  it.each([
    [`import { a } from './a.ts';`, ['./a.ts']],
    [`import type { A } from "../b/a.ts"`, ['../b/a.ts']],
    [`import {\n  a,\n  type B,\n} from '@aws-sdk/client-sqs';`, ['@aws-sdk/client-sqs']],
    [`import './side-effect.ts';`, ['./side-effect.ts']],
    [`export type { A } from './a.ts';\nexport * from './b.ts';`, ['./a.ts', './b.ts']],
    [`const x = await import('#agent');`, ['#agent']],
    [`function f(m: import('./message.ts').Part): void {}`, ['./message.ts']],
    [`const r = createRequire(u)('x'); const y = require('dynalite');`, ['dynalite']],
    [`// import { a } from './a.ts';\n/** import { b } from './b.ts' */\n/* x */ import c from './c.ts';`, ['./c.ts']],
    [`const s = 'no import here';\nconst from = 'x';`, []],
  ])('finds what %j imports', (source, expected) => {
    expect(imports(source)).toEqual(expected);
  });

  it('takes comments out and leaves addresses and globs in strings', () => {
    expect(code(`a('http://x/y'); // gone\nb('**/*.ts', '*/');\n/* gone\n */ c();`)).toBe(
      `a('http://x/y'); \nb('**/*.ts', '*/');\n\n c();`,
    );
  });

  it('resolves relative imports from the repository root', () => {
    expect(importedPath('functions/api.ts', '../core/task.ts')).toBe('core/task.ts');
    expect(packageName('@aws-sdk/lib-dynamodb/x')).toBe('@aws-sdk/lib-dynamodb');
    expect(packageName('ajv/dist/2020.js')).toBe('ajv');
  });

  it('sees what git knows of, and not what somebody tries out in the checkout', () => {
    const folder = mkdtempSync(join(tmpdir(), 'askback-tree-'));
    try {
      const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
      mkdirSync(join(folder, 'core'));
      for (const path of ['core/known.ts', 'deleted.ts', 'my-agent.ts', 'old.tgz'])
        writeFileSync(join(folder, path), '');
      expect(trackedFiles(folder)).toBeUndefined();
      expect(filesBelow(folder).sort()).toEqual(['core/known.ts', 'deleted.ts', 'my-agent.ts']);
      if (git('init', '--quiet').status !== 0) return;
      git('add', 'core/known.ts', 'deleted.ts');
      rmSync(join(folder, 'deleted.ts'));
      expect(trackedFiles(folder)).toEqual(['core/known.ts']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('sees the source of every layer', () => {
    const files = sourceFiles();
    expect(files).toContain('core/task.ts');
    expect(files).toContain('test/repo/tree.ts');
  });
});
