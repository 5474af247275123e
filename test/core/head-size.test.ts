import { describe, expect, it } from 'vitest';
import { headBytes, listBytes } from '../../core/head-size.ts';
import type { TaskHead } from '../../core/task.ts';
import { fullHead } from '../support/heads.ts';

describe('the size of a head', () => {
  it('is that of its JSON in UTF-8, with every field in it', () => {
    const head = fullHead('abcdefghijklmnopqrstuvwxyz');
    expect(headBytes(head)).toBe(Buffer.byteLength(JSON.stringify(head)));
  });

  it('counts bytes, not characters, and nothing for what is undefined', () => {
    expect(
      headBytes({ agent: 'Ä "x"\n', log: [{ seq: 1 }, { seq: 2 }], unread: [], ask: undefined } as unknown as TaskHead),
    ).toBe(Buffer.byteLength('{"agent":"Ä \\"x\\"\\n","log":[{"seq":1},{"seq":2}],"unread":[]}'));
    expect(headBytes({} as TaskHead)).toBe(2);
  });

  it('of lists of numbers, texts and objects', () => {
    expect(listBytes([])).toBe(2);
    expect(listBytes([5, 'é', { a: [1] }, null])).toBe(23);
  });
});
