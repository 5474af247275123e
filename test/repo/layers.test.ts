/** The import directions of design.md section 2 and CONTRIBUTING.md, and which layer may use which package. */
import { describe, expect, it } from 'vitest';
import { importedPath, imports, packageName, sourceFiles, text, topFolder } from './tree.ts';

/** Folder -> the other folders of ours that it may import. What is not named here (test, bench, scripts) may all. */
const LAYERS: Record<string, readonly string[]> = {
  core: [],
  aws: ['core'],
  agent: ['core'],
  client: ['core'],
  functions: ['core', 'aws', 'agent'],
  inbox: ['core'],
  local: ['functions', 'core', 'aws', 'agent'],
  lib: ['aws', 'core'],
  bin: ['lib'],
  examples: ['agent', 'client'],
};

/**
 * Package -> the folders that may import it, besides test, bench and scripts. An example is an author's own agent and
 * uses what it needs.
 */
const PACKAGES: readonly (readonly [name: RegExp, folders: readonly string[]])[] = [
  [/^@(aws-sdk|smithy)\//, ['aws', 'lib']],
  [/^(aws-cdk-lib|constructs|cdk-nag)$/, ['lib', 'bin']],
  [/^@middy\//, ['functions']],
  [/^aws-lambda$/, ['functions', 'local']],
  [/^@a2a-js\/sdk$/, ['agent', 'client', 'functions', 'local']],
  [/^dynalite$/, ['local']],
  [/^(ajv|ajv-formats)$/, ['core']],
  [/^askback$/, []],
];

const PENDING_IN_DYNAMODB = 'client/pending-dynamodb.ts';

/** All that the pure domain may take from Node: no files, no network, no timers, no randomness. */
const CORE_MODULES = ['node:crypto', 'node:vm', 'node:module'];

interface Import {
  readonly from: string;
  readonly specifier: string;
}

const all: readonly Import[] = sourceFiles().flatMap((from) =>
  imports(text(from)).map((specifier) => ({ from, specifier })),
);

function wrongDirection({ from, specifier }: Import): boolean {
  const allowed = LAYERS[topFolder(from)];
  if (!allowed) return false;
  if (specifier === '#agent') return !['functions', 'local'].includes(topFolder(from));
  if (!specifier.startsWith('.')) return false;
  const target = topFolder(importedPath(from, specifier));
  // The demo plays the worked example and looks into its ledger.
  if (from.startsWith('local/demo') && target === 'examples') return false;
  // What users import as `askback/aws`.
  if (topFolder(from) === 'examples' && importedPath(from, specifier) === 'aws/signed-fetch.ts') return false;
  // The program of the package works on an account's queues; what callers import (client/index.ts) knows nothing of it.
  if (['client/askback.ts', 'client/redrive.ts'].includes(from) && target === 'aws') return false;
  return target !== topFolder(from) && !allowed.includes(target);
}

function wrongPackage({ from, specifier }: Import): boolean {
  if (specifier.startsWith('.') || specifier.startsWith('#') || !(topFolder(from) in LAYERS)) return false;
  const folder = topFolder(from);
  if (folder === 'examples') return false;
  // A package entry of its own: who does not import it, loads no AWS.
  if (from === PENDING_IN_DYNAMODB && packageName(specifier).startsWith('@aws-sdk/')) return false;
  if (specifier.startsWith('node:')) return folder === 'core' && !CORE_MODULES.includes(specifier);
  const rule = PACKAGES.find(([name]) => name.test(packageName(specifier)));
  return rule ? !rule[1].includes(folder) : folder === 'core';
}

/** Inside core, the bindings stand above the operations, which know nothing of how they are called. */
function knowsTheWire({ from, specifier }: Import): boolean {
  if (!/^core\/(operations|transition|view|question)\//.test(from) || !specifier.startsWith('.')) return false;
  return importedPath(from, specifier).startsWith('core/wire/');
}

describe('imports point one way (design 2)', () => {
  it('no layer imports what lies above or beside it', () => {
    expect(all.filter(wrongDirection)).toEqual([]);
  });

  it('no operation, and nothing below it, imports the bindings (core/wire)', () => {
    expect(all.filter(knowsTheWire)).toEqual([]);
    const wrong = { from: 'core/operations/x.ts', specifier: '../wire/callbacks.ts' };
    expect(knowsTheWire(wrong)).toBe(true);
  });

  it('each package is used only in the layers that may know it; @aws-sdk only in aws/ and lib/', () => {
    expect(all.filter(wrongPackage)).toEqual([]);
  });

  it('no other file of client/ imports the one that knows AWS', () => {
    const importers = all.filter(
      ({ from, specifier }) => specifier.startsWith('.') && importedPath(from, specifier) === PENDING_IN_DYNAMODB,
    );
    expect(importers.filter(({ from }) => topFolder(from) === 'client')).toEqual([]);
  });

  it('every relative import names its file with the extension', () => {
    const loose = all.filter(({ specifier }) => specifier.startsWith('.') && !/\.(ts|json|js)$/.test(specifier));
    expect(loose).toEqual([]);
  });

  it.each([
    ['core/x.ts', '../aws/table-keys.ts'],
    ['core/x.ts', '../agent/index.ts'],
    ['aws/x.ts', '../functions/wiring.ts'],
    ['agent/x.ts', '../aws/table-keys.ts'],
    ['functions/x.ts', '../local/start.ts'],
    ['functions/x.ts', '../examples/expense-agent/agent.ts'],
    ['core/deep/x.ts', '#agent'],
    ['client/index.ts', '../aws/redrive.ts'],
    ['examples/x/deployed.ts', '../../aws/sign-request.ts'],
  ])('refuses %s importing %s', (from, specifier) => {
    expect(wrongDirection({ from, specifier })).toBe(true);
  });

  it.each([
    ['core/x.ts', '@aws-sdk/client-sqs'],
    ['functions/x.ts', '@aws-sdk/client-sqs'],
    ['core/x.ts', '@a2a-js/sdk'],
    ['client/x.ts', '@aws-sdk/lib-dynamodb'],
    ['core/x.ts', 'left-pad'],
    ['core/x.ts', 'node:fs'],
    ['core/x.ts', 'node:timers/promises'],
    ['functions/x.ts', 'dynalite'],
    ['aws/x.ts', '@middy/core'],
  ])('refuses %s importing %s', (from, specifier) => {
    expect(wrongPackage({ from, specifier })).toBe(true);
  });

  it.each([
    ['functions/run-turn.ts', '../core/task.ts'],
    ['functions/run-turn.ts', '#agent'],
    ['local/start.ts', '../functions/api.ts'],
    ['test/core/x.test.ts', '../../aws/table-keys.ts'],
  ])('lets %s import %s', (from, specifier) => {
    expect(wrongDirection({ from, specifier })).toBe(false);
  });
});
