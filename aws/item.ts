/**
 * Items as plain values, and as DynamoDB's client sends and returns them: what the SDK calls marshall and unmarshall, for
 * the three types that this table has. The SDK's own come with a document client around every command, which walks and
 * copies it (docs/decisions/0026-the-plain-client-of-dynamodb.md).
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Strings, numbers and bytes; an attribute that is undefined is not there. */
export type Item = Readonly<Record<string, unknown>>;

/** @throws TypeError for a value of another type: no attribute of this table has one */
export function typedItem(item: Item): Record<string, AttributeValue> {
  const typed: Record<string, AttributeValue> = {};
  for (const name in item) {
    const value = item[name];
    if (typeof value === 'string') typed[name] = { S: value };
    else if (typeof value === 'number') typed[name] = { N: String(value) };
    else if (value instanceof Uint8Array) typed[name] = { B: value };
    else if (value !== undefined) throw new TypeError(`attribute ${name} is neither text nor number nor bytes`);
  }
  return typed;
}

/** What is of a type that this table does not have is left as it came, for whoever reads the attribute to refuse. */
export function plainItem(typed: Readonly<Record<string, AttributeValue>>): Item {
  const item: Record<string, unknown> = {};
  for (const name in typed) item[name] = plain(typed[name] as AttributeValue);
  return item;
}

function plain(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  return value.B ?? value;
}
