/** The size of an item as DynamoDB bills it: names and values in UTF-8, numbers by their digits, 3 bytes for a list. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

const WRITE_UNIT_BYTES = 1_024;

export type RawItem = Readonly<Record<string, AttributeValue>>;

export function itemBytes(item: RawItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

/** A write that is refused is billed by the item that stood in its way, and one unit where there was none. */
export function writeUnits(item: RawItem | undefined): number {
  return item === undefined ? 1 : Math.ceil(itemBytes(item) / WRITE_UNIT_BYTES);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  // About one byte for two significant digits, and one.
  if (value.N !== undefined) return Math.ceil(value.N.replace(/^-?0*|[.]|0+$/g, '').length / 2) + 1;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.L !== undefined) return value.L.reduce((sum, one) => sum + 1 + valueBytes(one), 3);
  return 1;
}
