import { describe, expect, it } from 'vitest';
import { lru } from '../../../core/question/lru.ts';

describe('a map that forgets what was used longest ago', () => {
  it('keeps what was used last, however often the same is asked for', () => {
    const map = lru<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect([map.get('a'), map.get('a'), map.get('a')]).toEqual([1, 1, 1]);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  });

  it('forgets also what was asked for last, once others were used', () => {
    const map = lru<number>(2);
    map.set('a', 1);
    expect(map.get('a')).toBe(1);
    map.set('b', 2);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 2, 3]);
  });

  it('gives what was set last', () => {
    const map = lru<number>(2);
    map.set('a', 1);
    expect(map.get('a')).toBe(1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
  });

  it('knows nothing of what was never set', () => {
    expect(lru<number>(1).get('a')).toBe(undefined);
  });
});
