import { describe, expect, it } from 'vitest';
import { plainItem, typedItem } from '../../aws/item.ts';

const PLAIN = { pk: 'T#t', v: 0, born: 1_800_000_000_000, empty: '', x: new Uint8Array([1, 2]) };
const TYPED = {
  pk: { S: 'T#t' },
  v: { N: '0' },
  born: { N: '1800000000000' },
  empty: { S: '' },
  x: { B: new Uint8Array([1, 2]) },
};

describe('an item', () => {
  it('is sent as text, numbers and bytes', () => {
    expect(typedItem(PLAIN)).toEqual(TYPED);
  });

  it('is read as it was sent', () => {
    expect(plainItem(TYPED)).toEqual(PLAIN);
  });

  it('has no attribute where a value is undefined', () => {
    expect(typedItem({ pk: 'T#t', req: undefined })).toEqual({ pk: { S: 'T#t' } });
  });

  it.each([[true], [null], [['a']], [{ a: 1 }]])('is never sent with %j', (value) => {
    expect(() => typedItem({ pk: 'T#t', odd: value })).toThrow(
      new TypeError('attribute odd is neither text nor number nor bytes'),
    );
  });

  it('is read with what this table never holds as it came, and not as something else', () => {
    expect(plainItem({ odd: { BOOL: true }, list: { L: [{ S: 'a' }] } })).toEqual({
      odd: { BOOL: true },
      list: { L: [{ S: 'a' }] },
    });
  });
});
