/** An item that is not as this version writes it is refused by name: nothing of it is read as something else. */
import { describe, expect, it } from 'vitest';
import { decodeHead, encodeHead } from '../../aws/head-item.ts';
import type { Item } from '../../aws/item.ts';
import { submittedHead, T0 } from '../support/heads.ts';

const item = encodeHead(submittedHead('t'), ['w-1']);
const packed = JSON.parse(String(item.j)) as Record<string, unknown>;

describe('a head', () => {
  it.each<[string, Item]>([
    ['v', { ...item, v: 1, born: T0, agent: 'Expense agent', j: JSON.stringify({ ...packed, seq: [1, 1, 1] }) }],
    ['v', { ...item, v: Number.NaN }],
    ['v', { ...item, v: T0 + 0.5 }],
    ['v', { ...item, v: 1, claim: '["token-a"]', j: JSON.stringify({ ...packed, seq: [1, 1, 1] }) }],
    ['v', { ...item, v: String(T0 + 1) }],
    ['due', { ...item, due: { NULL: true } }],
    ['at', { ...item, at: undefined }],
    ['ctx', { ...item, ctx: { L: [] } }],
    ['claim', { ...item, claim: 7 }],
    ['j', { ...item, j: '{"ag":' }],
  ])('whose attribute %s is damaged is refused', (name, damaged) => {
    expect(() => decodeHead(damaged)).toThrow(`item T#t: attribute ${name} (`);
  });
});
