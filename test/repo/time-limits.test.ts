/**
 * `AbortSignal.any` holds its sources weakly: a time limit among them that nothing else keeps is collected as garbage
 * before its time, and what it should end waits for ever. A controller and a timer do instead (agent/remote-agent.ts).
 * A list with a name of its own is not looked into, nor where a signal that is handed in came from.
 */
import { describe, expect, it } from 'vitest';
import { code, sourceFiles, text } from './tree.ts';

/** Texts between the brackets of `AbortSignal.any([...])` that are, or name, an `AbortSignal.timeout`. */
function joinedLimits(source: string): string[] {
  const plain = code(source);
  const limits = [...plain.matchAll(/\b(\w+)\s*=\s*AbortSignal\.timeout\b/g)].map(([, name]) => name);
  return [...plain.matchAll(/AbortSignal\.any\(\s*\[([^\]]*)\]/g)]
    .flatMap(([, list = '']) => list.split(/,(?![^(]*\))/).map((one) => one.trim()))
    .filter((one) => /\bAbortSignal\.timeout\b/.test(one) || limits.includes(one));
}

describe('time limits', () => {
  it('stand in no list of AbortSignal.any', () => {
    const files = sourceFiles().filter((path) => path !== 'test/repo/time-limits.test.ts');
    expect(files.filter((path) => joinedLimits(text(path)).length > 0)).toEqual([]);
  });

  it.each([
    ['AbortSignal.any([signal, AbortSignal.timeout(5_000)])', ['AbortSignal.timeout(5_000)']],
    ['AbortSignal.any([\n  AbortSignal.timeout(ms),\n  signal,\n])', ['AbortSignal.timeout(ms)']],
    ['const limit = AbortSignal.timeout(5);\nfetch(url, { signal: AbortSignal.any([a, limit]) });', ['limit']],
  ])('that are, in %j, are seen', (source, found) => {
    expect(joinedLimits(source)).toEqual(found);
  });

  it.each([
    'AbortSignal.any([signal, over.signal])',
    'fetch(url, { signal: AbortSignal.timeout(5) }); AbortSignal.any([a, b])',
    '// AbortSignal.any([a, AbortSignal.timeout(5)])',
  ])('that are not, in %j, are let pass', (source) => {
    expect(joinedLimits(source)).toEqual([]);
  });
});
