/**
 * `AbortSignal.any` holds its sources weakly: an `AbortSignal.timeout` among them that nothing else keeps is collected as
 * garbage before its time, and what it should end waits for ever. A controller and a timer do instead
 * (agent/remote-agent.ts). Which signal comes to stand in which list is not followed: a file that uses both has to be looked at.
 */
import { describe, expect, it } from 'vitest';
import { code, sourceFiles, text } from './tree.ts';

/** Files that use both apart from each other: the joined ones are of controllers that somebody holds. */
const APART = ['agent/remote-agent.ts', 'inbox/a2a.ts'];

function usesBoth(source: string): boolean {
  const plain = code(source);
  return /\bAbortSignal\s*\.\s*any\b/.test(plain) && /\bAbortSignal\s*\.\s*timeout\b/.test(plain);
}

describe('time limits', () => {
  it('are made in no file that joins signals', () => {
    const files = sourceFiles().filter((path) => path !== 'test/repo/time-limits.test.ts' && usesBoth(text(path)));
    // Built from inbox/.
    expect(files.filter((path) => path !== 'functions/inbox-page.ts')).toEqual(APART);
  });

  it.each([
    ['AbortSignal.any([signal, AbortSignal.timeout(5_000)])', true],
    ['const limit: AbortSignal = AbortSignal.timeout(5);\nAbortSignal.any([...given, limit])', true],
    ['AbortSignal.any([signal, over.signal])', false],
    ['fetch(url, { signal: AbortSignal.timeout(5) })', false],
    ['AbortSignal.any([a, b]) // not AbortSignal.timeout(5)', false],
  ])('%j: %s', (source, both) => {
    expect(usesBoth(source)).toBe(both);
  });
});
