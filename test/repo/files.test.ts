/** Rules for the text of every file: size, opening comment, nothing of one machine. */
import { describe, expect, it } from 'vitest';
import { repositoryFiles, sourceFiles, text } from './tree.ts';

const files = repositoryFiles();

/** Spelled in pieces, so that this file may name them. */
const FOREIGN: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a path of one machine',
    new RegExp(['/wo' + 'rk/', '/ho' + 'me/', '/ro' + 'ot/', '/Us' + 'ers/', '[A-Z]:\\\\\\\\'].join('|')),
  ],
  ['a temporary path', new RegExp('/t' + 'mp/')],
  ['a package registry', new RegExp('registry\\.npm' + 'js|/npm-reg' + 'istry|art' + 'ifactory')],
  ['unfinished work', new RegExp('\\b(TO' + 'DO|FIX' + 'ME)\\b')],
  ['a silenced compiler', new RegExp('@ts-(ig' + 'nore|noch' + 'eck)')],
];

const BINARY = /\.(png|jpe?g|gif|ico|webp)$/;

function foreign(content: string): string[] {
  return FOREIGN.filter(([, pattern]) => pattern.test(content)).map(([what]) => what);
}

describe('files', () => {
  it('of code have at most 300 lines, or say why in the comment they open with', () => {
    const long = sourceFiles().filter((path) => {
      const source = text(path);
      if (source.split('\n').length <= 301) return false;
      return !/300 lines/.test(source.slice(0, source.indexOf('*/') + 1));
    });
    expect(long).toEqual([]);
  });

  it('of code open with a comment that says what they are (tests by their titles)', () => {
    const silent = sourceFiles().filter((path) => !path.endsWith('.test.ts') && !/^(#!.*\n)?\/[*/]/.test(text(path)));
    expect(silent).toEqual([]);
  });

  it('hold nothing of one machine and nothing unfinished', () => {
    const found = files
      .filter((path) => !BINARY.test(path) && path !== 'LICENSE')
      .flatMap((path) => foreign(text(path)).map((what) => `${path}: ${what}`));
    expect(found).toEqual([]);
  });

  it.each([
    ['see /ho' + 'me/someone/x', ['a path of one machine']],
    ['"resolved": "https://registry.npm' + 'js.org/x"', ['a package registry']],
    ['// TO' + 'DO later', ['unfinished work']],
    ['nothing', []],
  ])('the check sees %j', (content, expected) => {
    expect(foreign(content)).toEqual(expected);
  });

  it('the lock file pins every package by integrity and by no address', () => {
    const lock = JSON.parse(text('package-lock.json')) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: true }>;
    };
    const packages = Object.entries(lock.packages).filter(([name]) => name !== '');
    expect(packages.length).toBeGreaterThan(50);
    expect(
      packages.filter(([, entry]) => entry.resolved !== undefined || !(entry.integrity || entry.inBundle)),
    ).toEqual([]);
  });

  it('package.json names exact versions', () => {
    const manifest = JSON.parse(text('package.json')) as Record<string, Record<string, string>>;
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});
